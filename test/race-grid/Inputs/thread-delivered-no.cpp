// A READ brings a number to a word of its own.
#include "handles.h"
#include <thread>
static std::uint64_t number;
extern "C" void run(struct link *a, struct link *b) {
  put(a, &page, 8, 0);
  std::thread first([=] { take(a->cq); });
  fetch(b, &number, 8, 64);
  take(b->cq);
  try {
    first.join();
  } catch (...) {
  }
  page = 1;
}
