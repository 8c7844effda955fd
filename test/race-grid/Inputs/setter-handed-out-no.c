// Only this file can call set_waits: the hook that others ask for is another function.
// SET-UP: elsewhere
#include "grid.h"
static char buf[64];
static int waits = 1;
static void set_waits(int w) { waits = w; }
static void nothing(int w) { (void)w; }
struct hooks {
  void (*changed)(int);
};
void fill_hooks(struct hooks *h) { h->changed = nothing; }
static void (*own)(int) = set_waits;
void run(struct link *l) {
  put(l, buf, 64, 0);
  if (waits)
    take(l->cq);
  buf[0] = 1;
  own(1);
}
