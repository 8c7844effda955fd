// Another struct than the one that a started std::thread is in is cleared.
#include "grid.h"
#include <system_error>
#include <thread>
static char page[64];
struct job {
  std::thread by;
  char name[120];
};
extern "C" void run(struct link *l) {
  put(l, page, 64, 0);
  job current, last;
  current.by = std::thread([l] { take(l->cq); });
  memset((void *)&last, 0, sizeof last);
  try {
    current.by.join();
  } catch (const std::system_error &) {
  }
  page[0] = last.name[0];
}
