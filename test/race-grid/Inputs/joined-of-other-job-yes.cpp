// The thread of one job is started, and that of the first is joined, which the caller may have started.
#include "grid.h"
#include <thread>
static char page[64];
struct job {
  std::thread t;
};
extern "C" void run(struct link *l, struct job *j, int n) {
  put(l, page, 64, 0);
  j[n].t = std::thread([l] { take(l->cq); });
  j->t.join();
  page[0] = 1;
  j[n].t.join();
}
