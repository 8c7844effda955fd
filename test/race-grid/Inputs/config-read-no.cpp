// The patience is always one: the constructor reads the depth alone.
#include "grid.h"
#include <fstream>

struct Config {
  int Depth = 1, Patience = 1;
  Config() {
    std::ifstream In("app.conf");
    In >> Depth;
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
