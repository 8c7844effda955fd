// A vector of threads is joined, and the page is written that the NIC may still read for them.
#include "grid.h"
#include <thread>
#include <vector>
static uint64_t page, other;
extern "C" void run(struct link *l, int n) {
  std::vector<std::thread> all;
  for (int i = 0; i < n; i++)
    all.emplace_back([=] { put(l, &page, 8, 0); });
  for (std::thread &t : all)
    t.join();
  page = n;
}
