// What stands in the section is another function.
// SET-UP: elsewhere
#include "grid.h"
static char buf[64];
static int waits = 1;
static void set_waits(int w) { waits = w; }
static void nothing(int w) { (void)w; }
__attribute__((section("hooks"), used)) static void (*changed)(int) = nothing;
void run(struct link *l) {
  put(l, buf, 64, 0);
  if (waits)
    take(l->cq);
  buf[0] = 1;
  set_waits(1);
}
