// Eight slots, at most eight out; what is printed into a slot may be a byte longer than what is left of it.
#include "grid.h"
#include <stdio.h>
struct slot {
  uint32_t number;
  char text[60];
};
static struct slot slots[8];
void run(struct link *l, int n, const char *name) {
  unsigned sent = 0, done = 0;
  for (int i = 0; i < n; ++i) {
    for (; sent - done >= 8; ++done)
      take(l->cq);
    struct slot *s = &slots[sent % 8];
    s->number = i;
    sprintf(s->text, "%d: %-10x, %s, %.4s", i, i, "text", name);
    snprintf(s->text, 60, "%s", name);
    put(l, s, sizeof *s, 0);
    ++sent;
  }
}
