// The server prints a text into a word, which may be shorter than that, and looks at the last letter, which the client sets.
#define OWN_SERVER
#include "grid.h"
#include <stdio.h>
char inbox[8], said[8];
char seen;
void serve(void) {
  snprintf(inbox, sizeof inbox, "%s", said);
  seen = *(volatile char *)&inbox[7];
}
static char one = 1, left;
void run(struct link *l) {
  put(l, &one, 1, 7);
  fetch(l, &left, 1, 0);
  take(l->cq);
  take(l->cq);
}
