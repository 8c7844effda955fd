// The constructor sets the patience on one way only.
#include "grid.h"
#include <cstdlib>

struct Config {
  int Depth, Patience;
  Config() {
    Depth = std::getenv("DEPTH") != nullptr;
    if (Depth)
      Patience = 1;
  }
};
static Config config;
static char page[64];

extern "C" void run(struct link *l) {
  put(l, page, 64, 0);
  if (config.Patience)
    take(l->cq);
  page[0] = 1;
}
