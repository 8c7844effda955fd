// Two threads of one node are given the same memory; each stores and then looks at what the other stores.
#include "grid.h"
struct words { uint64_t a, b, seen[2]; };
struct node { struct words *mem; struct link l; };
static uint64_t load(const uint64_t &from) { return __atomic_load_n(&from, __ATOMIC_RELAXED); }
static void store(uint64_t &to, uint64_t value) { __atomic_store_n(&to, value, __ATOMIC_RELAXED); }
void run(node &n) {
  store(n.mem->a, 1);
  store(n.mem->seen[0], load(n.mem->b));
  put(&n.l, &n.mem->seen[0], 8, 0);
}
void beside(node &n) {
  store(n.mem->b, 1);
  store(n.mem->seen[1], load(n.mem->a));
}
