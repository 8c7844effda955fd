// The thread that starts the entry in another looks at its memory, and is no entry.
#define OWN_SERVER
#include "grid.h"
#include <pthread.h>
volatile uint64_t inbox[2];
static uint64_t seen, own;
void serve(void) {}
static void *routine(void *given) {
  serve();
  return given;
}
int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, routine, 0);
  pthread_join(thread, 0);
  if (inbox[1])
    seen = inbox[0];
  return 0;
}
static uint64_t data = 7, flag = 1;
void run(struct link *a, struct link *b) {
  put(a, &data, 8, 0);
  take(a->cq);
  put(b, &flag, 8, 8);
  take(b->cq);
}
