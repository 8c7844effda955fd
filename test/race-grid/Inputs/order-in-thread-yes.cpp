// In a lambda that a thread runs, with what one operand calls behind a virtual function.
#include "grid.h"
#include <thread>
static char buf[64];
struct waiter {
  virtual int wait(struct link *l) {
    take(l->cq);
    return 1;
  }
};
static int stored() {
  buf[0] = 1;
  return 2;
}
static int sum(int a, int b) { return a + b; }
extern "C" void run(struct link *l) {
  static int result;
  std::thread([l] {
    waiter w;
    put(l, buf, 64, 0);
    result = sum(w.wait(l), stored());
  }).join();
}
