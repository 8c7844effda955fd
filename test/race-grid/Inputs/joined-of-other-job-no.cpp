// The thread of a job is started and joined.
#include "grid.h"
#include <thread>
static char page[64];
struct job {
  std::thread t;
};
extern "C" void run(struct link *l, struct job *j) {
  put(l, page, 64, 0);
  j->t = std::thread([l] { take(l->cq); });
  j->t.join();
  page[0] = 1;
}
