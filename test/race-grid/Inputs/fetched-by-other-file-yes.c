// Another file has the pointer fetched from the server, by requests that it builds.
#include "grid.h"
char *current, page[64], other[64];
void get_pointer(struct link *l);
void run(struct link *l) {
  current = other;
  get_pointer(l);
  put(l, page, 64, 0);
  current[0] = 1;
  take(l->cq);
}
