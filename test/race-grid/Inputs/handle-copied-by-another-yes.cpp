// Another thread copies a struct over the one that a std::thread is in, which is then joined in vain.
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
  job current, none, last;
  current.by = std::thread([l] { take(l->cq); });
  std::thread taker([&] {
    memcpy((void *)&current, (void *)&none, sizeof current);
    last.name[0] = none.name[0];
  });
  taker.join();
  try {
    current.by.join();
  } catch (const std::system_error &) {
  }
  page[0] = 1;
}
