// The number of a thread is exchanged for another where it is the one that was read.
#include "handles.h"
static pthread_t first, second;
void run(struct link *a, struct link *b) {
  pthread_t was;
  rail = a;
  put(a, &page, 8, 0);
  pthread_create(&first, 0, role, 0);
  was = first;
  __atomic_compare_exchange_n(&first, &was, elsewhere, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
  pthread_join(first, 0);
  page = 1;
}
