// A thread that main starts beside the entry changes the buffer.
#include "grid.h"
#include <thread>
static char buf[64];
static long beats;
static struct link mine;
void run(struct link *l) {
  put(l, buf, 64, 0);
  take(l->cq);
}
int main() {
  std::thread t([] { beats = 1; });
  run(&mine);
  t.join();
}
