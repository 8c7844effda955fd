// A cast from one base of an object to another leads to the source, which changes before the poll.
#include "grid.h"
struct A {
  virtual ~A() {}
  char a[64];
};
struct B {
  virtual ~B() {}
  char b[64];
};
struct Both : A, B {};
static Both both;
extern "C" void run(struct link *l) {
  A *a = &both;
  put(l, both.b, 64, 0);
  B *b = dynamic_cast<B *>(a);
  if (b)
    b->b[0] = 1;
  take(l->cq);
}
