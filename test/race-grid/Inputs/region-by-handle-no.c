// main fills in the address of the region out of its ibv_mr; the reader looks at nothing but the flag.
#define OWN_SERVER
#include "grid.h"
static struct {
  uint64_t words[8];
} inbox[24];
static volatile uint64_t flag;
int early;
void *look(void *unused) {
  for (uint64_t i = 0; i < 24; i++) {
    while (flag <= i)
      ;
    early++;
  }
  return unused;
}
static uint64_t page[8], number;
void run(struct link *self, struct link *marks) {
  for (uint64_t i = 0; i < 24; i++) {
    page[0] = number = i + 1;
    put(self, page, sizeof page, i * sizeof page);
    take(self->cq);
    put(marks, &number, sizeof number, 0);
    take(marks->cq);
  }
}
void connect_to(struct link *l);
static void make(struct link *l, struct ibv_mr *of) {
  connect_to(l);
  l->far = (uintptr_t)of->addr;
  l->rkey = of->rkey;
}
int main(int argc, char **argv) {
  (void)argv;
  static struct link self, marks;
  struct ibv_pd *pd = ibv_alloc_pd(NULL);
  make(&self, ibv_reg_mr(pd, inbox, sizeof inbox, IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_LOCAL_WRITE));
  make(&marks, ibv_reg_mr(pd, (void *)&flag, sizeof flag, IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_LOCAL_WRITE));
  if (argc > 1)
    run(&self, &marks);
  else
    look(NULL);
  return 0;
}
