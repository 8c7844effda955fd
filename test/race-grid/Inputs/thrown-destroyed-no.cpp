// What is thrown writes to memory of its own.
#include "grid.h"
static char buf[64], other[64];
struct trouble {
  char *where;
  ~trouble() { *where = 1; }
};
extern "C" void run(struct link *l) {
  put(l, buf, 64, 0);
  try {
    throw trouble{other};
  } catch (const trouble &) {
  }
  take(l->cq);
}
