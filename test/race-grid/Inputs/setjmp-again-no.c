// REMARK: control may go elsewhere at
// After longjmp the other way is taken, behind the post.
// REMARK: setjmp
#include "grid.h"
#include <setjmp.h>
static char buf[64];
static jmp_buf before;
void run(struct link *l) {
  if (setjmp(before) == 0) {
    put(l, buf, 64, 0);
    longjmp(before, 1);
  }
  take(l->cq);
  buf[0] = 1;
}
