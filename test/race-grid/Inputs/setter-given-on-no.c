// The hook of others is another function than the one that is called here.
// SET-UP: elsewhere
#include "grid.h"
static char buf[64];
static int waits = 1;
static void set_waits(int w) { waits = w; }
static void nothing(int w) { (void)w; }
struct hooks {
  void (*changed)(int);
};
static void enter(struct hooks *h, void (*f)(int)) { h->changed = f; }
void fill_hooks(struct hooks *h) { enter(h, nothing); }
void run(struct link *l) {
  put(l, buf, 64, 0);
  if (waits)
    take(l->cq);
  buf[0] = 1;
  set_waits(1);
}
