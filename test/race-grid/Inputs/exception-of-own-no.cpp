// An exception of the program's own, which says of itself what was wrong.
#include "grid.h"
#include <cstdio>
#include <exception>
#include <string>
#include <utility>
class Refused : public std::exception {
public:
  explicit Refused(std::string Why) : Why(std::move(Why)) {}
  const char *what() const noexcept override { return Why.c_str(); }

private:
  std::string Why;
};
static char buf[64];
extern "C" void run(struct link *l, int n) {
  try {
    put(l, buf, 64, 0);
    take(l->cq);
    if (n > 3)
      throw Refused("too many");
  } catch (const std::exception &e) {
    std::puts(e.what());
  }
  buf[0] = 1;
}
