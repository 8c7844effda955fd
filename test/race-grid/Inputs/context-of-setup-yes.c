// What a completion queue's context leads to is what set-up code has put there.
#include "grid.h"
struct conn {
  struct link l;
  char page[64];
};
static struct conn c;
static struct ibv_cq *cq;
void run(struct link *l) {
  struct conn *mine = cq->cq_context;
  put(l, c.page, 64, 0);
  mine->page[0] = 1;
  take(l->cq);
}
void connect_to(struct link *l, struct ibv_context **context);
int main(void) {
  static struct link l;
  struct ibv_context *context;
  connect_to(&l, &context);
  cq = ibv_create_cq(context, 16, &c, 0, 0);
  if (!cq)
    return 1;
  run(&l);
}
