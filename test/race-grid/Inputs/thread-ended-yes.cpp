// The thread reads and writes the record on its own when an exception leaves the frame of the record.
#include "grid.h"
#include <stdexcept>
#include <thread>
static struct link here;
struct record {
  uint64_t line[8] = {};
  uint32_t size = 64;
};
static void check(int n) {
  if (n > 3)
    throw std::runtime_error("n");
}
void run(int n) {
  record r;
  std::thread other([&r] {
    r.line[0] = 2;
    put(&here, r.line, r.size, 0);
    take(here.cq);
  });
  other.detach();
  check(n);
}
int main(int n, char **) {
  try {
    run(n);
  } catch (const std::exception &) {
    return 1;
  }
}
