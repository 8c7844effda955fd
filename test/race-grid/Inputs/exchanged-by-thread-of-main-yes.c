// A thread that main has started gives the connection another queue while the entry polls it.
#include "grid.h"
#include <pthread.h>
static uint64_t value, other;
static struct link a, b;
static void connect_it(struct link *from) { a.cq = from->cq; }
static void *change(void *from) {
  connect_it((struct link *)from);
  return 0;
}
void run(struct link *l, struct link *m, int rounds) {
  value = 1;
  put(m, &other, 8, 64);
  put(l, &value, 8, 0);
  take(l->cq);
  value = 2;
}
static void open_it(struct link *l) {
  struct ibv_context *context = ibv_open_device(ibv_get_device_list(NULL)[0]);
  struct ibv_pd *pd = ibv_alloc_pd(context);
  l->cq = ibv_create_cq(context, 64, NULL, NULL, 0);
  struct ibv_qp_init_attr init;
  memset(&init, 0, sizeof init);
  init.send_cq = init.recv_cq = l->cq;
  init.qp_type = IBV_QPT_RC;
  init.cap.max_send_wr = init.cap.max_send_sge = 4;
  l->qp = ibv_create_qp(pd, &init);
}
int main(int argc, char **argv) {
  pthread_t t;
  open_it(&a);
  open_it(&b);
  pthread_create(&t, 0, change, &b);
  run(&a, &b, argc);
}
