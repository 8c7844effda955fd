// An exception leaves the frame whose flag is being sent.
#include "grid.h"
#include <stdexcept>
struct Flag {
  bool On = true;
};
static void check(int n) {
  if (n > 3)
    throw std::runtime_error("n");
}
static void tell(struct link *l, int n) {
  Flag f;
  put(l, &f, 1, 0);
  check(n);
  take(l->cq);
}
extern "C" void run(struct link *l, int n) {
  try {
    tell(l, n);
  } catch (const std::exception &) {
    take(l->cq);
  }
}
