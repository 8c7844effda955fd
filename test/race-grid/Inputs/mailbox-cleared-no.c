// The server clears a word and looks at the same one; the client sets it anew when it finds it cleared.
#define OWN_SERVER
#include "grid.h"
volatile uint64_t inbox[1];
uint64_t sum;
void serve(void) {
  for (int i = 0; i < 10; i++) {
    while (inbox[0] == 0)
      ;
    sum += inbox[0];
    inbox[0] = 0;
  }
}
static uint64_t data, left;
void run(struct link *l) {
  for (int i = 0; i < 10; i++) {
    data = i + 1;
    put(l, &data, 8, 0);
    take(l->cq);
    do {
      fetch(l, &left, 8, 0);
      take(l->cq);
    } while (left);
  }
}
