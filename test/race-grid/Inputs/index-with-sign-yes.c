// A letter with a sign is the index into a table; those below zero lead to the member that is sent.
#include "grid.h"
static struct {
  char sent[128], table[128];
} s;
void run(struct link *l, const signed char *text) {
  put(l, s.sent, 128, 0);
  s.table[text[0]] = 1;
  take(l->cq);
}
