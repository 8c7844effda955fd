// Two threads wait for one: the second call comes back at once.
#include "handles.h"
static pthread_t first, second;
static void *nothing(void *given) { return given; }
static void *waiter(void *given) {
  pthread_join(first, 0);
  return given;
}
void run(struct link *a, struct link *b) {
  pthread_t third;
  rail = a;
  put(a, &page, 8, 0);
  pthread_create(&first, 0, role, 0);
  pthread_create(&second, 0, nothing, 0);
  pthread_create(&third, 0, waiter, 0);
  pthread_join(first, 0);
  page = 1;
}
