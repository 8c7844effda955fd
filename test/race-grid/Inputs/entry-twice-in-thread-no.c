// The thread that main starts runs the entry once.
#include "grid.h"
#include <pthread.h>
static uint64_t page;
void run(struct link *l, int fd) {
  page = fd;
  put(l, &page, 8, 0);
}
static struct link *mine;
static void *once(void *p) {
  run(mine, 1);
  return p;
}
int main(int argc, char **argv) {
  pthread_t t;
  mine = (struct link *)argv[0];
  pthread_create(&t, 0, once, 0);
  pthread_join(t, 0);
}
