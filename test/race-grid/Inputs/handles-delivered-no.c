// A READ brings numbers to where those of other threads would be kept.
#include "started-many.h"
void run(struct link *a, struct link *b, int n) {
  for (int i = 0; i < n; i++)
    pthread_create(&some[i], 0, role, 0);
  fetch(b, others, 64, 64);
  take(b->cq);
  for (int i = 0; i < n; i++)
    pthread_join(some[i], 0);
  other = 1;
  put(a, &page, 8, 0);
}
