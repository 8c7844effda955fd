// The server clears the flag of a message that it has read, and reads the next one when it finds the flag set anew.
#define OWN_SERVER
#include "grid.h"
volatile uint64_t inbox[2];
uint64_t sum;
void serve(void) {
  for (int i = 0; i < 10; i++) {
    while (inbox[1] == 0)
      ;
    sum += inbox[0];
    inbox[1] = 0;
  }
}
static uint64_t data, one = 1, state;
void run(struct link *l) {
  for (int i = 0; i < 10; i++) {
    do {
      fetch(l, &state, 8, 8);
      take(l->cq);
    } while (state);
    data = i;
    put(l, &data, 8, 0);
    put(l, &one, 8, 8);
    take(l->cq);
    take(l->cq);
  }
}
