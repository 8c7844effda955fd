// The program has a function by the name of one that compilers do themselves; it changes nothing.
#include "grid.h"
static char buf[64];
double creal(double _Complex a) { return 1; }
void run(struct link *l, double s) {
  put(l, buf, 1, 0);
  double d = creal(s);
  take(l->cq);
  buf[1] = d;
}
