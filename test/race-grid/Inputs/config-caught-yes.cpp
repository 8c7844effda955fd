// What sets the patience may throw before it does, and the program goes on.
#include "grid.h"
#include <cstdlib>

static int patience, depth;
static void configure() {
  depth = std::getenv("DEPTH") != nullptr;
  if (depth)
    throw 1;
  patience = 1;
}
static bool configured() {
  try {
    configure();
  } catch (int) {
    return false;
  }
  return true;
}
static bool ready = configured();
static char page[64];

extern "C" void run(struct link *l) {
  put(l, page, 64, 0);
  if (patience)
    take(l->cq);
  page[0] = ready;
}
