// What an exception of the program says of itself changes other memory, before the completion is awaited.
#include "grid.h"
#include <cstdio>
#include <exception>
static char page[64], spare[64];
struct Failed : std::exception {
  const char *what() const noexcept override {
    spare[0] = 1;
    return "failed";
  }
};
extern "C" void run(struct link *l) {
  put(l, page, 64, 0);
  try {
    if (l->rkey == 77)
      throw Failed();
  } catch (const std::exception &e) {
    std::fprintf(stderr, "%s\n", e.what());
  }
  take(l->cq);
}
