// A std::shared_ptr goes while the request is out; another one keeps the block.
#include "grid.h"
#include <memory>
struct block {
  char data[64];
};
extern "C" void run(struct link *l) {
  auto first = std::make_shared<block>();
  std::shared_ptr<block> second;
  second = first;
  put(l, second->data, 64, 0);
  first.reset();
  take(l->cq);
}
