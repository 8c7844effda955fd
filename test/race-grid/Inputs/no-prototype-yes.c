// The function that posts is declared without its parameters.
#include "grid.h"
static char page[64];
void post_page();
void run(struct link *l) {
  post_page(l, 64);
  page[0] = 1;
  take(l->cq);
}
void post_page(struct link *l, unsigned length) { put(l, page, length, 0); }
