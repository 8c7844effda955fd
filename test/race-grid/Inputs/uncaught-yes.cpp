// What leaves the entry is caught by who calls it: the array that is being sent is gone by then.
#include "grid.h"
#include <stdexcept>
#include <string>
static struct link here;
static void check(int n) {
  if (n > 3)
    throw std::runtime_error("n");
}
void run(int n) {
  std::string name(n, 'x');
  char hello[24] = {1};
  put(&here, hello, sizeof hello, 0);
  check(n);
  take(here.cq);
}
int main(int n, char **) {
  try {
    run(n);
  } catch (const std::runtime_error &) {
    return 1;
  }
}
