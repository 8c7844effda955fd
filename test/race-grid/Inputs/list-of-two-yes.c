// Of two nodes that lead to each other the one that is sent is filled.
#include "grid.h"
struct node {
  struct node *next;
  char data[64];
};
void run(struct link *l, int n) {
  struct node a, b, *cur = &a;
  a.next = &b;
  b.next = &a;
  for (int i = 0; i < n; i++) {
    put(l, cur->data, 64, 0);
    memset(cur->data, i, 64);
    take(l->cq);
    cur = cur->next;
  }
}
