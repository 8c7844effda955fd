// A constructor says that it is waited for: what the variable began with before is no reason to warn.
// REMARK: whether completions are waited for hangs on this condition
#include "grid.h"
static char buf[64];
struct options {
  int wait;
  options() : wait(1) {}
};
static const options chosen;
extern "C" void run(link *l) {
  put(l, buf, 64, 0);
  if (chosen.wait)
    take(l->cq);
  buf[0] = 1;
}
