// Two threads of one node are given the same object of a type without a name.
#include "grid.h"
typedef struct { uint64_t a, b, seen[2]; } words;
void run(words *w, struct link *l) {
  __atomic_store_n(&w->a, 1, __ATOMIC_SEQ_CST);
  w->seen[0] = __atomic_load_n(&w->b, __ATOMIC_RELAXED);
  put(l, &w->seen[0], 8, 0);
}
void beside(words *w) {
  __atomic_store_n(&w->b, 1, __ATOMIC_SEQ_CST);
  w->seen[1] = __atomic_load_n(&w->a, __ATOMIC_RELAXED);
}
