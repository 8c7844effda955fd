// Hooks are made in this file only, and ended there.
// SET-UP: elsewhere
#include "grid.h"
static char buf[64];
static int waits = 1;
struct hooks {
  void (*changed)(int);
};
static void set_waits(int w) { waits = w; }
static struct hooks *make_hooks(void) {
  struct hooks *h = malloc(sizeof *h);
  h->changed = set_waits;
  return h;
}

void run(struct link *l) {
  put(l, buf, 64, 0);
  if (waits)
    take(l->cq);
  buf[0] = 1;
  struct hooks *mine = make_hooks();
  mine->changed(1);
  free(mine);
}
