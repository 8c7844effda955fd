// The entry runs in a constructor, and nobody catches what it throws.
#include "grid.h"
#include <stdexcept>
#include <string>
#include <vector>
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
struct job {
  explicit job(int n) : n(n) { run(n); }
  job(const job &) = default;
  int n;
};
int main(int n, char **) {
  for (int i = 0; i < n; i++)
    job one(i);
}
