// A machine goes from label to label as a table says: it changes the source before it waits.
#include "grid.h"
static char buf[64];
void run(struct link *l) {
  static const void *const bad[] = {&&post, &&change, &&wait, &&end}, *const good[] = {&&post, &&wait,
                                                                                       &&change, &&end};
  const void *const *pc = bad;
  (void)bad;
  (void)good;
  goto **pc++;
post:
  put(l, buf, 64, 0);
  goto **pc++;
wait:
  take(l->cq);
  goto **pc++;
change:
  buf[0] = 1;
  goto **pc++;
end:;
}
