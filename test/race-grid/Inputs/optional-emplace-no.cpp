// The source is made anew in its optional behind the poll.
#include "grid.h"
#include <optional>
struct A {
  char b[64];
  A(char c) { b[3] = c; }
};
static std::optional<A> v{std::in_place, 'x'};
extern "C" void run(struct link *l) {
  put(l, v->b, 64, 0);
  take(l->cq);
  v.reset();
  v.emplace('z');
}
