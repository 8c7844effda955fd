// While main calls the entry, a thread that main has started sets the count of what is done.
#include "grid.h"
#include <pthread.h>
static uint64_t value;
static int done;
static void start_at(int number) { done = number; }
static void *change(void *given) {
  start_at(100);
  return given;
}
void run(struct link *l, int rounds) {
  struct ibv_wc wc;
  int posted = done;
  for (int i = 0; i < rounds; i++) {
    while (done < posted)
      done += ibv_poll_cq(l->cq, 1, &wc) == 1;
    value = i;
    put(l, &value, 8, 0);
    posted++;
  }
}
int main(int argc, char **argv) {
  static struct link here;
  pthread_t t;
  start_at(argc);
  pthread_create(&t, 0, change, 0);
  run(&here, argc);
}
