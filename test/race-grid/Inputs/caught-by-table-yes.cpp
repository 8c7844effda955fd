// What a struct of functions leads to throws while it sends an array, and the caller goes on.
#include "grid.h"
#include <stdexcept>
#include <string>
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
static struct operations {
  void (*go)(int);
} table = {tell};
__attribute__((noinline)) static void call(struct operations *of, int n) { of->go(n); }
void run(int n) {
  try {
    call(&table, n);
  } catch (const std::runtime_error &) {
  }
}
int main(int n, char **) { run(n); }
