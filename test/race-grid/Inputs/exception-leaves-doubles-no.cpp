// An exception leaves the frame whose numbers are being sent.
#include "grid.h"
#include <stdexcept>
static void check(int n) {
  if (n > 3)
    throw std::runtime_error("n");
}
static void sum(struct link *l, int n) {
  double page[16] = {};
  page[1] = n;
  check(n);
  put(l, page, 128, 0);
  take(l->cq);
}
extern "C" void run(struct link *l, int n) {
  try {
    sum(l, n);
  } catch (const std::exception &) {
    take(l->cq);
  }
}
