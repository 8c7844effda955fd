// As race.c, for mistakes in other places: lists of pieces, the heap, the stack, other queue pairs and calls.
#include "Inputs/mistakes.h"

#include <sys/mman.h>

static void gather(void) { // of several pieces, the last is changed
  struct ibv_sge both[] = {piece_of(&memory.source), piece_of(&memory.other)};
  post_list(pair, IBV_WR_RDMA_WRITE, both, 2, IBV_SEND_SIGNALED);
  await_if(well);
  memory.other = 2;
  await_if(!well);
}

static void scatter(void) { // of several pieces, the last is read
  struct ibv_sge both[] = {piece_of(&memory.source), piece_of(&memory.other)};
  post_list(pair, IBV_WR_RDMA_READ, both, 2, IBV_SEND_SIGNALED);
  await_if(well);
  memory.copy = memory.other;
  await_if(!well);
}

static void swap(void) { // whether a lock was taken is looked at before the answer is there
  post(pair, IBV_WR_ATOMIC_CMP_AND_SWP, &memory.result, 0);
  await_if(well);
  memory.copy = memory.result == 0;
  await_if(!well);
}

static void heap(void) { // freed while it is sent
  uint64_t *buffer = malloc(4096);
  struct ibv_mr *own = ibv_reg_mr(domain, buffer, 4096, 0);
  struct ibv_sge piece = {(uintptr_t)buffer, 8, own->lkey};
  buffer[0] = 1;
  post_list(pair, IBV_WR_RDMA_WRITE, &piece, 1, IBV_SEND_SIGNALED);
  await_if(well);
  if (well)
    ibv_dereg_mr(own);
  free(buffer);
  await_if(!well);
  if (!well)
    ibv_dereg_mr(own);
}

static void mapped(void) { // unmapped while it is sent
  uint64_t *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  struct ibv_mr *own = ibv_reg_mr(domain, page, 4096, 0);
  struct ibv_sge piece = {(uintptr_t)page, 8, own->lkey};
  page[0] = 1;
  post_list(pair, IBV_WR_RDMA_WRITE, &piece, 1, IBV_SEND_SIGNALED);
  await_if(well);
  munmap(page, 4096);
  await_if(!well);
  ibv_dereg_mr(own);
}

__attribute__((noinline)) static struct ibv_mr *send_local(void) {
  uint64_t local[64];
  struct ibv_mr *own = ibv_reg_mr(domain, local, sizeof local, 0);
  struct ibv_sge piece = {(uintptr_t)&local[32], sizeof local[32], own->lkey};
  memset(local, 1, sizeof local);
  post_list(pair, IBV_WR_RDMA_WRITE, &piece, 1, IBV_SEND_SIGNALED);
  await_if(well);
  return own;
}

static void clear(volatile uint64_t *words) {
  for (int i = 0; i < 64; ++i)
    words[i] = 0;
}

__attribute__((noinline)) static void use_stack(void) {
  uint64_t local[64];
  static uint64_t *volatile seen;
  seen = local;
  clear(seen);
}

static void stack(void) { // out of scope while it is sent
  struct ibv_mr *own = send_local();
  use_stack();
  await_if(!well);
  ibv_dereg_mr(own);
}

static void unsignaled(void) { // a completion of another queue pair says nothing of it
  struct ibv_sge piece = piece_of(&memory.source);
  post_list(pair, IBV_WR_RDMA_WRITE, &piece, 1, 0);
  post(well ? pair : second, IBV_WR_RDMA_WRITE, &memory.other, 0);
  await();
  memory.source = 2;
}

static void repost(void) { // a message is read after its buffer was given to the next one
  post_receive(&memory.result);
  post(pair, IBV_WR_SEND, &memory.source, 0);
  await_in(arrivals);
  if (well)
    memory.copy = memory.result;
  post_receive(&memory.result);
  if (!well)
    memory.copy = memory.result;
  post(pair, IBV_WR_SEND, &memory.source, 0);
  await_in(arrivals);
  await(), await();
}

static void post_shared(struct ibv_srq *to, uint64_t *local) {
  struct ibv_sge piece = piece_of(local);
  struct ibv_recv_wr wr = {.sg_list = &piece, .num_sge = 1}, *bad;
  if (ibv_post_srq_recv(to, &wr, &bad))
    die("receive");
}

static void
shared(void) { // the same, of a shared receive queue, which has been emptied by another queue pair before
  struct ibv_srq_init_attr init = {.attr = {.max_wr = 4, .max_sge = 1}};
  struct ibv_srq *receives = ibv_create_srq(domain, &init);
  struct ibv_qp *by[] = {create_pair(receives), create_pair(receives)};
  post_shared(receives, &memory.result);
  for (int i = 0; i < 40; ++i) {
    post(by[i % 2], IBV_WR_SEND, &memory.source, 0);
    await(), await_in(arrivals);
    if (well || i < 38)
      memory.copy = memory.result;
    post_shared(receives, &memory.result);
    if (!well && i == 38)
      memory.copy = memory.result;
  }
  if (ibv_destroy_qp(by[0]) || ibv_destroy_qp(by[1]) || ibv_destroy_srq(receives))
    die("destroy");
  memory.result = 2; // nobody delivers there any more
}

static void calls(void) { // the calls that build a request
  struct ibv_qp_ex *by = ibv_qp_to_qp_ex(pair);
  ibv_wr_start(by);
  by->wr_flags = IBV_SEND_SIGNALED;
  ibv_wr_rdma_write(by, region->rkey, (uintptr_t)&memory.there);
  if (well)
    ibv_wr_set_inline_data(by, &memory.source, 8);
  else
    ibv_wr_set_sge(by, region->lkey, (uintptr_t)&memory.source, 8);
  if (ibv_wr_complete(by))
    die("complete");
  memory.source = 2;
  await();
}

static void immediate(void) { // what is written is there when its receiver is told, not when its sender is
  post_receive(&memory.result);
  post(pair, IBV_WR_RDMA_WRITE_WITH_IMM, &memory.source, 0);
  await_in(well ? arrivals : completions);
  memory.copy = memory.there;
  await_in(well ? completions : arrivals);
}

static void message(void) { // nor of a WRITE that a message follows
  post_receive(&memory.result);
  post(pair, IBV_WR_RDMA_WRITE, &memory.source, 0);
  post(pair, IBV_WR_SEND, &memory.other, 0);
  await(), await();
  if (well)
    await_in(arrivals);
  memory.copy = memory.there;
  if (!well)
    await_in(arrivals);
}

static void both(void) { // two queue pairs write the same place
  post(pair, IBV_WR_RDMA_WRITE, &memory.source, 0);
  if (well) {
    post(pair, IBV_WR_RDMA_READ, &memory.result, 0);
    await(), await();
  }
  struct ibv_qp *first = pair;
  pair = second;
  post(pair, IBV_WR_RDMA_WRITE, &memory.other, 0);
  pair = first;
  await();
  await_if(!well);
}

static void landed(void) { // what an atomic writes is not in memory when it is polled, also of the first one
  post(pair, IBV_WR_ATOMIC_CMP_AND_SWP, &memory.result, 0);
  await();
  if (well) {
    post(pair, IBV_WR_RDMA_READ, &memory.other, 0);
    await();
  }
  memory.copy = memory.there;
}

static void fence(void) { // on the wrong request of two
  post(pair, IBV_WR_RDMA_READ, &memory.result, well ? 0 : IBV_SEND_FENCE);
  post(pair, IBV_WR_RDMA_WRITE, &memory.result, well ? IBV_SEND_FENCE : 0);
  await(), await();
}

static void count(void) { // takes some of the completions for all of them
  struct ibv_wc list[2];
  int taken = 0, wanted = well ? 2 : 1;
  post(pair, IBV_WR_RDMA_WRITE, &memory.source, 0);
  post(pair, IBV_WR_RDMA_READ, &memory.result, IBV_SEND_FENCE);
  while (taken < wanted)
    taken += ibv_poll_cq(completions, wanted - taken, list);
  memory.copy = memory.result;
  await_if(!well);
}

int main(int argc, char **argv) {
  static const struct mistake all[] = {{"gather", gather},
                                       {"scatter", scatter},
                                       {"swap", swap},
                                       {"heap", heap},
                                       {"mapped", mapped},
                                       {"stack", stack},
                                       {"unsignaled", unsignaled},
                                       {"repost", repost},
                                       {"calls", calls},
                                       {"immediate", immediate},
                                       {"message", message},
                                       {"both", both},
                                       {"shared", shared},
                                       {"landed", landed},
                                       {"fence", fence},
                                       {"count", count}};
  return run_named(argc, argv, all, sizeof all / sizeof *all);
}
