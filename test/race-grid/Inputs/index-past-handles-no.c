// An index stays in an array of numbers of threads; one behind it is joined.
#include "handles.h"
static struct {
  pthread_t other[2], mine;
} h;
void run(struct link *a, struct link *b, unsigned k) {
  rail = a;
  put(a, &page, 8, 0);
  pthread_create(&h.mine, 0, role, 0);
  h.other[k & 1] = elsewhere;
  pthread_join(h.mine, 0);
  page = 1;
}
