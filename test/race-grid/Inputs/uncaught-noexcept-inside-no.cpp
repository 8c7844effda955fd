// Nothing stands in the way of what leaves main, and nobody catches it: frames stay.
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
static void all(int n) { run(n); }
int main(int n, char **) { all(n); }
