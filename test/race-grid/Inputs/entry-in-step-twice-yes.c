// Steps of set-up code that start a thread each, which runs the entry.
#include "grid.h"
#include <pthread.h>
static uint64_t page, seen;
static volatile uint64_t turn;
void run(struct link *l, int n) {
  seen = turn;
  page = n;
  put(l, &page, 8, 0);
  turn = n;
}
static void *once(void *l) {
  run((struct link *)l, 1);
  return 0;
}
static void start(struct link *l) {
  pthread_t t;
  pthread_create(&t, 0, once, l);
}
static void rest(struct link *l) { (void)l; }
typedef void step(struct link *);
int main(int argc, char **argv) {
  step *const steps[] = {rest, start};
  for (int i = 0; i < argc; i++)
    steps[i % 2]((struct link *)argv[0]);
}
