// An exception leaves the frame whose array is being sent.
#include "grid.h"
static void inner(struct link *l, int n) {
  char page[64] = {1};
  put(l, page, 64, 0);
  if (n)
    throw n;
  take(l->cq);
}
extern "C" void run(struct link *l, int n) {
  try {
    inner(l, n);
  } catch (int) {
    take(l->cq);
  }
}
