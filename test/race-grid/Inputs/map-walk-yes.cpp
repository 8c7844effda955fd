// Buffers in the nodes of a map: one is found, all are changed by walking over it.
#include "grid.h"
#include <map>
struct block { char bytes[64]; };
extern "C" void run(struct link *l, std::map<int, block> *m, int key) {
  auto found = m->find(key);
  put(l, found->second.bytes, 64, 0);
  for (auto i = m->begin(); i != m->end(); ++i)
    i->second.bytes[0] = 1;
  take(l->cq);
}
