// A READ brings a number to where that of another thread would be kept.
#include "handles.h"
static pthread_t first, second;
void run(struct link *a, struct link *b) {
  rail = a;
  put(a, &page, 8, 0);
  pthread_create(&first, 0, role, 0);
  fetch(b, &second, 8, 64);
  take(b->cq);
  pthread_join(first, 0);
  page = 1;
}
