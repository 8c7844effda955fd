// Another thread exchanges what a std::thread keeps for none by an atomic step, which is then joined in vain.
#include "grid.h"
#include <system_error>
#include <thread>
static char page[64];
static std::uint64_t taken;
struct job {
  std::thread by;
  char name[120];
};
extern "C" void run(struct link *l) {
  put(l, page, 64, 0);
  job current, none, last;
  current.by = std::thread([l] { take(l->cq); });
  std::thread taker([&] {
    taken = __atomic_exchange_n((std::uint64_t *)&current, 0, __ATOMIC_SEQ_CST);
    last.name[0] = none.name[0];
  });
  taker.join();
  try {
    current.by.join();
  } catch (const std::system_error &) {
  }
  page[0] = 1;
}
