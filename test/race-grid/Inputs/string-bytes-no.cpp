// The bytes of a std::string are posted and then appended to.
#include "grid.h"
#include <string>
extern "C" void run(struct link *l, std::string *s) {
  put(l, s->data(), 8, 0);
  take(l->cq);
  (*s)[0] = 'x';
}
