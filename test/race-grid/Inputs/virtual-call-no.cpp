// A virtual function changes what was posted.
#include "grid.h"
static char buf[64];
struct sink {
  virtual void next() {}
  virtual ~sink() = default;
};
struct writer : sink {
  void next() override { buf[0] = 1; }
};
extern "C" void run(struct link *l) {
  writer w;
  sink *s = &w;
  put(l, buf, 64, 0);
  take(l->cq);
  s->next();
}
