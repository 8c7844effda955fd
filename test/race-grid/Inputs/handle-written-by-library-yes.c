// A function of the library fills where the number of a thread is kept.
#include "handles.h"
static pthread_t first, second;
static struct random_data numbers;
void run(struct link *a, struct link *b) {
  rail = a;
  put(a, &page, 8, 0);
  pthread_create(&first, 0, role, 0);
  random_r(&numbers, (int32_t *)&first);
  pthread_join(first, 0);
  page = 1;
}
