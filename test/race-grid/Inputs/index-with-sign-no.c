// A letter with a sign is the index into a table, without its sign; the member in front of that is sent.
#include "grid.h"
static struct {
  char sent[128], table[128];
} s;
void run(struct link *l, const signed char *text) {
  put(l, s.sent, 128, 0);
  s.table[text[0] & 0x7f] = 1;
  take(l->cq);
}
