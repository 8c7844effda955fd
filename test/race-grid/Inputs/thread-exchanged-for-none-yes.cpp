// The program exchanges what a std::thread keeps for none by an atomic step, and nobody waits for it.
#include "started-many.h"
#include <thread>
#include <vector>
static long number;
extern "C" void run(struct link *a, struct link *b, int n) {
  std::vector<std::thread> all;
  for (int i = 0; i < n; i++)
    all.emplace_back([] {
      page = 1;
      seen = other;
    });
  __atomic_exchange_n((long *)all.data(), 0L, __ATOMIC_SEQ_CST);
  for (std::thread &one : all)
    if (one.joinable())
      one.join();
  other = 1;
  put(a, &page, 8, 0);
}
