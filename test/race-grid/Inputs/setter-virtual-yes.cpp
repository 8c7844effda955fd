// Whoever asks for the object may call its set with 0 before run begins.
// SET-UP: elsewhere
#include "grid.h"
static char buf[64];
static int waits = 1;
struct Setter {
  virtual void set(int w) = 0;
};
namespace {
struct Mine : Setter {
  void set(int w) override { waits = w; }
} mine;
} // namespace
Setter *setter() { return &mine; }

extern "C" void run(struct link *l) {
  put(l, buf, 64, 0);
  if (waits)
    take(l->cq);
  buf[0] = 1;
  mine.set(1);
}
