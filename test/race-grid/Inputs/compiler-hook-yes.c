// A function that the compiler calls on the way into others changes what is sent.
#include "grid.h"
static char page[64];
void __cyg_profile_func_enter(void *function, void *from) {
  page[0] += function == from;
}
void run(struct link *l) {
  put(l, page, 64, 0);
  take(l->cq);
}
