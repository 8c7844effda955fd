// A constructor runs the entry before the patience is set.
#include "grid.h"
#include <cstdlib>

extern "C" void run(struct link *l);

static void later(struct link *);

static void start() {
  struct link l = {};
  if (std::getenv("EARLY"))
    run(&l);
}
static void later(struct link *) {}
struct Early {
  Early() { start(); }
};
static Early early;
struct Config {
  int Depth, Patience;
  Config() {
    Depth = std::getenv("DEPTH") != nullptr;
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

int main() {
  struct link l = {};
  later(&l);
  run(&l);
}
