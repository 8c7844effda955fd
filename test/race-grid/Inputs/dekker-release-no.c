// Stores with release order may still be on their way when the thread looks at the other's word.
#include "grid.h"
static uint64_t a, b, seen_a, seen_b;
#define ORDER __ATOMIC_SEQ_CST
void run(struct link *l) {
  __atomic_store_n(&a, 1, ORDER);
  seen_b = __atomic_load_n(&b, __ATOMIC_SEQ_CST);
  put(l, &seen_b, 8, 0);
}
void beside(void) {
  __atomic_store_n(&b, 1, ORDER);
  seen_a = __atomic_load_n(&a, __ATOMIC_SEQ_CST);
}
