// A function that calls itself puts another number in the place of a thread's, of many.
#include "started-many.h"
static void keep(pthread_t *where, int n, int outermost) {
  if (outermost > 0)
    keep(where, n - 1, outermost - 1);
  else if (n > 1)
    keep(where, n - 1, outermost - 1);
  else
    *where = elsewhere;
}
void run(struct link *a, struct link *b, int n) {
  for (int i = 0; i < n; i++)
    pthread_create(&some[i], 0, role, 0);
  keep(some, n, 6);
  for (int i = 0; i < n; i++)
    pthread_join(some[i], 0);
  other = 1;
  put(a, &page, 8, 0);
}
