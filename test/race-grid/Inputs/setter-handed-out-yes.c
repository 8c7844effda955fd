// Whoever asks for the hooks may call set_waits, too, with 0 before run begins: then nobody waits.
// SET-UP: elsewhere
#include "grid.h"
static char buf[64];
static int waits = 1;
static void set_waits(int w) { waits = w; }
struct hooks {
  void (*changed)(int);
};
void fill_hooks(struct hooks *h) { h->changed = set_waits; }
static void (*own)(int) = set_waits;
void run(struct link *l) {
  put(l, buf, 64, 0);
  if (waits)
    take(l->cq);
  buf[0] = 1;
  own(1);
}
