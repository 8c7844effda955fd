// main hands two connections of its own, both on its stack, to the entry, which uses one of them.
#define OWN_SERVER
#include "grid.h"
struct {
  char data[64];
  uint64_t flag;
} inbox;
int serve(void) {
  while (!__atomic_load_n(&inbox.flag, __ATOMIC_ACQUIRE))
    ;
  return inbox.data[5];
}
static char page[64];
static uint64_t word = 1;
void run(struct link *self, struct link *marks) {
  put(self, page, 64, 0);
  take(self->cq);
  put(self, &word, 8, 64);
  take(self->cq);
}
void connect_to(struct link *l);
int main(void) {
  struct link self, marks;
  connect_to(&self);
  connect_to(&marks);
  run(&self, &marks);
  return 0;
}
