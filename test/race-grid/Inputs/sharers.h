// Two threads at one queue: each calls use with a number of its own.
#include "grid.h"
#include <pthread.h>

static uint64_t page[2];
static void use(struct link *l, int id);

static inline void *first(void *p) {
  use(p, 0);
  return p;
}

static inline void *second(void *p) {
  use(p, 1);
  return p;
}

static inline void start(pthread_t of[2], struct link *l) {
  pthread_create(&of[0], 0, first, l);
  pthread_create(&of[1], 0, second, l);
}

static inline void finish(pthread_t of[2]) {
  pthread_join(of[0], 0);
  pthread_join(of[1], 0);
}
