// The fence stands behind a comment of the assembly.
#include "put-and-fetch.h"
void serve(void) {
  inbox[1] = 1;
  __asm__ volatile("nop # pause; mfence\n\tmfence" ::: "memory");
  seen = inbox[0];
}
