// A class built on one of the library's exceptions.
#include "grid.h"
#include <cerrno>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <system_error>
struct Failed : std::system_error {
  explicit Failed(int code) : std::system_error(code, std::generic_category(), "post") {}
};
struct Wrong : std::runtime_error {
  Wrong(const std::string &what, int code) : std::runtime_error("cannot " + what), code(code) {}
  int code;
};
static char buf[64];
extern "C" void run(struct link *l, int n) {
  try {
    put(l, buf, 64, 0);
    take(l->cq);
    if (n > 3)
      throw Failed(errno);
    if (n > 2)
      throw Wrong("go on", n);
  } catch (const Wrong &e) {
    std::fprintf(stderr, "%s: %d\n", e.what(), e.code);
  } catch (const std::exception &e) {
    std::fprintf(stderr, "%s\n", e.what());
  }
  buf[0] = 1;
}
