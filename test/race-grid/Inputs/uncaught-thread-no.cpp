// What leaves the function of a thread ends the process: its array stays.
#include "grid.h"
#include <stdexcept>
#include <string>
#include <thread>
static struct link here;
static void check(int n) {
  if (n > 3)
    throw std::runtime_error("n");
}
static void tell(int n) {
  std::string name(n, 'x');
  char hello[24] = {1};
  put(&here, hello, sizeof hello, 0);
  check(n);
  take(here.cq);
}
void run(int n) {
  std::thread other([n] { tell(n); });
  other.join();
}
int main(int n, char **) { run(n); }
