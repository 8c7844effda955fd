// A function of the library fills where the number of one of many threads is kept.
#include "started-many.h"
static struct random_data numbers;
void run(struct link *a, struct link *b, int n) {
  for (int i = 0; i < n; i++)
    pthread_create(&some[i], 0, role, 0);
  random_r(&numbers, (int32_t *)&some[1]);
  for (int i = 0; i < n; i++)
    pthread_join(some[i], 0);
  other = 1;
  put(a, &page, 8, 0);
}
