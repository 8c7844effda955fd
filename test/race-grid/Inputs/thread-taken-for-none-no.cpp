// The program stores to a word of its own.
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
  *(volatile long *)&number = 0;
  for (std::thread &one : all)
    if (one.joinable())
      one.join();
  other = 1;
  put(a, &page, 8, 0);
}
