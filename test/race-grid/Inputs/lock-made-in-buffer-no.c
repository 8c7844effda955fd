// A lock is made in memory that the NIC has read.
#define _GNU_SOURCE
#include "grid.h"
#include <pthread.h>
static struct {
  pthread_mutex_t m;
  char b[24];
} reg;
void run(struct link *l) {
  put(l, &reg, 64, 0);
  take(l->cq);
  pthread_mutex_init(&reg.m, 0);
}
