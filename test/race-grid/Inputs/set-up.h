// Behind a program that leaves its set-up to others: all of it. CALL calls the entry with the link `p`.
#pragma once

static void set_up_all(struct link *l) {
  struct ibv_context *context = ibv_open_device(ibv_get_device_list(NULL)[0]);
  struct ibv_pd *pd = ibv_alloc_pd(context);
  l->cq = ibv_create_cq(context, 64, NULL, NULL, 0);
  struct ibv_qp_init_attr init;
  memset(&init, 0, sizeof init);
  init.send_cq = init.recv_cq = l->cq;
  init.qp_type = IBV_QPT_RC;
  init.cap.max_send_wr = init.cap.max_recv_wr = 32;
  init.cap.max_send_sge = init.cap.max_recv_sge = 4;
  l->qp = ibv_create_qp(pd, &init);
  struct ibv_mr *far = ibv_reg_mr(pd, inbox, sizeof inbox,
                                  IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ |
                                      IBV_ACCESS_REMOTE_ATOMIC);
  l->far = (uintptr_t)far->addr;
  l->rkey = far->rkey;
  l->lkey = far->lkey;
}

int main(int argc, char **argv) {
#if defined(static_LINK)
  static struct link l;
  struct link *p = &l;
#elif defined(stack_LINK)
  struct link l;
  struct link *p = &l;
#elif defined(heap_LINK)
  struct link *p = (struct link *)calloc(1, sizeof *p);
#endif
  set_up_all(p);
  if (argc > 1)
    serve();
  else
    CALL;
  return 0;
}
