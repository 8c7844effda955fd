// While a thread that the entry has started goes on, main reads a number that it has nothing to do with.
#include "grid.h"
#include <pthread.h>
#include <stdio.h>
static uint64_t value;
static int done, other;
static pthread_t t;
static struct work {
  struct link *l;
  int rounds;
} work;
static void *worker(void *given) {
  struct work *w = given;
  struct ibv_wc wc;
  int posted = done;
  for (int i = 0; i < w->rounds; i++) {
    while (done < posted)
      done += ibv_poll_cq(w->l->cq, 1, &wc) == 1;
    value = i;
    put(w->l, &value, 8, 0);
    posted++;
  }
  return 0;
}
void run(struct link *l, int rounds) {
  work.l = l;
  work.rounds = rounds;
  pthread_create(&t, 0, worker, &work);
}
int main(int argc, char **argv) {
  static struct link here;
  run(&here, argc);
  if (scanf("%d", &other) != 1)
    return 1;
  pthread_join(t, 0);
}
