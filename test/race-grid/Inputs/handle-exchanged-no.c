// Another number is exchanged by an atomic step.
#include "handles.h"
static pthread_t first, second;
void run(struct link *a, struct link *b) {
  rail = a;
  put(a, &page, 8, 0);
  pthread_create(&first, 0, role, 0);
  __atomic_exchange_n(&second, elsewhere, __ATOMIC_SEQ_CST);
  pthread_join(first, 0);
  page = 1;
}
