// A barrier for the compiler is none for the CPU.
#include "grid.h"
static volatile uint64_t a, b, seen_a, seen_b;
#define BARRIER __asm__ volatile("" ::: "memory")
void run(struct link *l) {
  a = 1;
  BARRIER;
  seen_b = b;
  put(l, &seen_b, 8, 0);
}
void beside(void) {
  b = 1;
  BARRIER;
  seen_a = a;
}
