// Each node of a list has a queue pair of its own; all of them read into the buffer of the first.
#include "grid.h"
struct peer {
  struct link l;
  struct peer *next;
  char b[64];
};
void run(struct peer *head) {
  for (struct peer *p = head; p; p = p->next)
    fetch(&p->l, head->b, 64, 0);
}
