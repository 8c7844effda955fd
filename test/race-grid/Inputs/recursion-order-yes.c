// A function that calls itself sets a flag and looks at another, which a second thread sets and looks at.
#include "grid.h"
volatile int alpha, beta, seen, other;
static void walk(int n) {
  beta = n;
  if (n > 0)
    walk(n - 1);
  else
    seen = alpha;
}
void run(struct link *l, int n) {
  put(l, "", 1, 0);
  take(l->cq);
  walk(n);
}
void watch(void) {
  alpha = 1;
  __sync_synchronize();
  other = beta;
}
