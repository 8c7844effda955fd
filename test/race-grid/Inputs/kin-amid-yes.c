// Two items, of which the caller may have put one into the middle of the other; a variable is of their type.
#include "grid.h"
struct item { uint64_t first, second; };
struct item known;

void run(struct link *l, struct item *sent, struct item *changed) {
  known.first = 1;
  put(l, &sent->first, 8, 0);
  changed->second = known.second;
  take(l->cq);
}
