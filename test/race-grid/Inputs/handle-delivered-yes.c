// A READ brings another number to where that of a thread is kept, before the thread is waited for.
#include "handles.h"
static pthread_t first, second;
void run(struct link *a, struct link *b) {
  rail = a;
  put(a, &page, 8, 0);
  pthread_create(&first, 0, role, 0);
  fetch(b, &first, 8, 64);
  take(b->cq);
  pthread_join(first, 0);
  page = 1;
}
