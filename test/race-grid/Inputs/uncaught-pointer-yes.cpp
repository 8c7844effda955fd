// An entry that is called through a table, by who catches what it throws.
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
static void rest(int) {}
using role = void(int);
static role *const roles[] = {run, rest};
int main(int n, char **) {
  for (role *each : roles)
    try {
      each(n);
    } catch (const std::exception &) {
    }
}
