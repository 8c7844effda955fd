// A stream writes to the array that its buffer was given when it was made.
#include "grid.h"
#include <spanstream>
static char page[64], other[64];
extern "C" void run(struct link *l) {
  std::spanbuf buffer(std::span<char>{page});
  std::ostream out(&buffer);
  put(l, page, 64, 0);
  out.put('x');
  take(l->cq);
}
