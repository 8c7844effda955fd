// sem_getvalue leaves the count in memory that the NIC still reads.
#define _GNU_SOURCE
#include "grid.h"
#include <semaphore.h>
static struct {
  int m;
  char b[60];
} reg;
static sem_t s;
void run(struct link *l) {
  put(l, &reg, 64, 0);
  sem_getvalue(&s, &reg.m);
  take(l->cq);
}
