// Queue pairs of an array, all to one server, by indices that are not known: they may be two.
#define OWN_SERVER
#include "grid.h"
volatile uint64_t inbox[2];
uint64_t seen;
void serve(void) {
  if (inbox[1] == 1)
    seen = inbox[0];
}
static uint64_t data = 7, flag = 1;
struct trunk {
  struct link rail[4];
};
void run(struct trunk *t, int i, int j) {
  struct link *first = &t->rail[2], *second = &t->rail[2];
  put(first, &data, 8, 0);
  put(second, &flag, 8, 8);
}
