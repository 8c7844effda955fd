// An exception does not get past the end of a std::thread that nobody has waited for: the record stays.
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
  check(n);
  other.join();
}
int main(int n, char **) {
  try {
    run(n);
  } catch (const std::exception &) {
    return 1;
  }
}
