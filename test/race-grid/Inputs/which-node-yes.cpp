// Of two nodes of a list one is in use by a request, and is filled.
#include "grid.h"
#include <list>
struct block {
  char data[64];
};
extern "C" void run(struct link *l) {
  std::list<block> all(2);
  put(l, all.front().data, 64, 0);
  all.front().data[0] = 2;
  take(l->cq);
}
