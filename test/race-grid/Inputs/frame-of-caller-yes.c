// The array of the entry's caller ends while a request is out.
#include "grid.h"
void run(struct link *l, char *page) {
  put(l, page, 64, 0);
}
void connect_to(struct link *l, struct ibv_pd **pd);
static void once(struct link *l) {
  char page[64] = {1};
  run(l, page);
}
int main(void) {
  static struct link l;
  struct ibv_pd *pd;
  connect_to(&l, &pd);
  once(&l);
}
