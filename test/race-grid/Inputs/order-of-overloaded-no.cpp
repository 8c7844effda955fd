// An overloaded operator leaves open what that of the language does: the sum, but not the shift.
#include "grid.h"
static char buf[64];
struct step {
  int count;
};
static step operator+(step a, step b) { return {a.count + b.count}; }
static step operator<<(step a, step b) { return {a.count + b.count}; }
static step waited(link *l) {
  take(l->cq);
  return {1};
}
static step stored() {
  buf[0] = 1;
  return {2};
}
extern "C" int run(link *l) {
  put(l, buf, 64, 0);
  return (waited(l) << stored()).count;
}
