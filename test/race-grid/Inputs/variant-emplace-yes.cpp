// A variant that holds the source gets another value before the poll.
#include "grid.h"
#include <variant>
struct A {
  char b[64];
};
struct B {
  int x[16];
};
static std::variant<A, B> v;
extern "C" void run(struct link *l) {
  v = A{};
  put(l, std::get<0>(v).b, 64, 0);
  v.emplace<1>(B{{1}});
  take(l->cq);
}
