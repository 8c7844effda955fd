// An atomic brings what it has found to where the number of a thread is kept.
#include "handles.h"
static pthread_t first, second;
void run(struct link *a, struct link *b) {
  rail = a;
  put(a, &page, 8, 0);
  pthread_create(&first, 0, role, 0);
  submit(b, IBV_WR_ATOMIC_FETCH_AND_ADD, &first, 8, 64, IBV_SEND_SIGNALED);
  take(b->cq);
  pthread_join(first, 0);
  page = 1;
}
