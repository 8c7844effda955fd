// The program has a function by the name of an instruction; it changes nothing.
#include "grid.h"
static char buf[64];
double fma(double a, double b, double c) { return a; }
void run(struct link *l, double s) {
  put(l, buf, 1, 0);
  double d = fma(s, s, s);
  take(l->cq);
  buf[1] = d;
}
