// A std::shared_ptr goes while the request is out, and it was the last.
#include "grid.h"
#include <memory>
struct block {
  char data[64];
};
extern "C" void run(struct link *l) {
  auto first = std::make_shared<block>();
  std::shared_ptr<block> second;
  second = std::move(first);
  put(l, second->data, 64, 0);
  second.reset();
  take(l->cq);
}
