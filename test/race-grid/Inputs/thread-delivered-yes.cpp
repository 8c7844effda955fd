// A READ brings another number into a std::thread, and what join throws is caught.
#include "handles.h"
#include <thread>
static std::uint64_t number;
extern "C" void run(struct link *a, struct link *b) {
  put(a, &page, 8, 0);
  std::thread first([=] { take(a->cq); });
  fetch(b, &first, 8, 64);
  take(b->cq);
  try {
    first.join();
  } catch (...) {
  }
  page = 1;
}
