// main hands two connections of its own, both on its stack, to the entry: what is sent over the one says nothing of the other.
#define OWN_SERVER
#include "grid.h"
char inbox[64];
uint64_t flag;
int serve(void) {
  while (!__atomic_load_n(&flag, __ATOMIC_ACQUIRE))
    ;
  return inbox[5];
}
static char page[64];
static uint64_t word = 1;
void run(struct link *self, struct link *marks) {
  put(self, page, 64, 0);
  take(self->cq);
  put(marks, &word, 8, 0);
  take(marks->cq);
}
void connect_to(struct link *l);
int main(void) {
  struct link self, marks;
  connect_to(&self);
  connect_to(&marks);
  run(&self, &marks);
  return 0;
}
