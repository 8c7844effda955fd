// What is written is one buffer, or is told by its own distance.
#include "grid.h"
static char page[64], other[64];
static struct {
  int32_t off;
} self;
static void lead(void *to) { self.off = (int32_t)((char *)to - (char *)&self); }
static char *led(void) { return (char *)&self + self.off; }
void run(struct link *l, int near) {
  lead(other);
  put(l, page, 64, 0);
  char *p = near ? led() : other;
  p[0] = 1;
  take(l->cq);
}
