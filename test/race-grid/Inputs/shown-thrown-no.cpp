// Set-up code throws the address of the buffer, in an object.
// SET-UP: elsewhere
#include "grid.h"
static char buf[64], spare[64];
struct Full {
  int n;
  char *page;
};
void lend() { throw Full{1, spare}; }
extern "C" void run(struct link *l, char *given) {
  put(l, buf, 64, 0);
  given[0] = 1;
  take(l->cq);
}
