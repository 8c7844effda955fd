// A machine goes from label to label as a table says: it waits before it changes the source.
// REMARK: whether completions are waited for hangs on this condition
#include "grid.h"
static char buf[64];
void run(struct link *l) {
  static const void *const bad[] = {&&post, &&change, &&wait, &&end}, *const good[] = {&&post, &&wait,
                                                                                       &&change, &&end};
  const void *const *pc = good;
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
