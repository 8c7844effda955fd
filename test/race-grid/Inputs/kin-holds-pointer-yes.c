// The two nodes may be one: what is stored in one is found in the other.
#include "grid.h"
struct node { char *text; int length; };
static char page[64];
void run(struct link *l, struct node *a, struct node *b) {
  a->text = page;
  put(l, b->text, 64, 0);
  page[0] = 1;
  take(l->cq);
}
