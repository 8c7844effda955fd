// A function within main lets nothing out: frames below it are left before the process ends.
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
static void all(int n) noexcept { run(n); }
int main(int n, char **) { all(n); }
