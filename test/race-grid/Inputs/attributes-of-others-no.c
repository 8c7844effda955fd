// A thread begins with attributes that it was made with here.
#include "handles.h"
pthread_attr_t attributes;
void run(struct link *a, struct link *b) {
  pthread_t first;
  pthread_attr_t own;
  rail = a;
  pthread_attr_init(&own);
  put(a, &page, 8, 0);
  pthread_create(&first, &own, role, 0);
  pthread_join(first, 0);
  page = 1;
}
