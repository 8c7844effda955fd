// An exception leaves the frame whose structure, of the program's own, is being sent.
#include "grid.h"
#include <stdexcept>
struct ibv_hello {
  uint32_t qpn, psn;
  char name[24];
};
static void check(int n) {
  if (n > 3)
    throw std::runtime_error("n");
}
static void tell(struct link *l, uint32_t n) {
  ibv_hello h = {n, n, {}};
  check(n);
  put(l, &h, sizeof h, 0);
  take(l->cq);
}
extern "C" void run(struct link *l, int n) {
  try {
    tell(l, n);
  } catch (const std::exception &) {
    take(l->cq);
  }
}
