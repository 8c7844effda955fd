// One thread runs an entry by its name, main through a pointer that may lead to a second entry: the one that
// comes second changes what the first is sending.
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
void idle(struct link *l, int n) { (void)l, (void)n; }
typedef void role(struct link *, int);
static void *first_role(void *l) {
  run((struct link *)l, 1);
  return 0;
}
int main(int argc, char **argv) {
  pthread_t a;
  role *second = argc > 1 ? idle : run;
  pthread_create(&a, 0, first_role, argv[0]);
  second((struct link *)argv[0], 2);
  pthread_join(a, 0);
}
