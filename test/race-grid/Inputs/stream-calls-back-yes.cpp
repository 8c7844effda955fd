// The buffer of a stream, of the program's own class, puts another function in the place of the one that waits.
#include "grid.h"
#include <ostream>
#include <streambuf>
static uint64_t value;
static void wait(struct link *l) { take(l->cq); }
static void nothing(struct link *) {}
static void (*settle)(struct link *) = wait;
struct Buffer : std::streambuf {
  int overflow(int c) override {
    settle = nothing;
    return c;
  }
};
extern "C" void run(struct link *l) {
  Buffer buffer;
  std::ostream out(&buffer);
  out << 12;
  value = 1;
  put(l, &value, 8, 0);
  settle(l);
  value = 2;
}
