// One thread runs an entry by its name; main runs a second entry through a pointer.
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
static void rest(struct link *l, int n) { (void)l, (void)n; }
static void *first_role(void *l) {
  run((struct link *)l, 1);
  return 0;
}
int main(int argc, char **argv) {
  pthread_t a;
  role *second = argc > 1 ? idle : rest;
  pthread_create(&a, 0, first_role, argv[0]);
  second((struct link *)argv[0], 2);
  pthread_join(a, 0);
}
