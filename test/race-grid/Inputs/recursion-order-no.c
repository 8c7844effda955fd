// A function that calls itself sets a flag, and another is looked at behind a fence.
#include "grid.h"
volatile int alpha, beta, seen, other;
static void walk(int n) {
  beta = n;
  if (n > 0)
    walk(n - 1);
}
void run(struct link *l, int n) {
  put(l, "", 1, 0);
  take(l->cq);
  walk(n);
  __sync_synchronize();
  seen = alpha;
}
void watch(void) {
  alpha = 1;
  __sync_synchronize();
  other = beta;
}
