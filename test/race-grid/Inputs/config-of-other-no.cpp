// Another function clears the patience of another object.
#include "grid.h"
#include <cstdlib>

struct Config {
  int Depth, Patience;
  Config() {
    Depth = std::getenv("DEPTH") != nullptr;
    Patience = 1;
  }
};
static Config config, spare;
static char page[64];

__attribute__((constructor)) static void configure() { spare.Patience = 0; }

extern "C" void run(struct link *l) {
  put(l, page, 64, 0);
  if (config.Patience)
    take(l->cq);
  page[0] = 1;
}
