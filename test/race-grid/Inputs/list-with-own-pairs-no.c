// Each node of a list has a queue pair and a buffer of its own, into which it reads.
// REMARK: which of several queue pairs posts to 'head->next->b' here is not known
// REMARK: what this request goes to on node
#include "grid.h"
struct peer {
  struct link l;
  struct peer *next;
  char b[64];
};
void run(struct peer *head) {
  for (struct peer *p = head; p; p = p->next)
    fetch(&p->l, p->b, 64, 0);
}
