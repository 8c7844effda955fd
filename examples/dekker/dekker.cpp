// Two nodes share a list of jobs, and no job may be done by both. Before a job, a node claims it by writing
// the job's number into the other node's memory, polls the completion, and then looks in its own memory
// whether the other node has claimed the job too; if so, it leaves the job alone. (One side of Dekker's
// algorithm; a job that both claim at once is done by none, and would be tried again later.)
#include "common/launch.h"
#include "common/setup.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

enum { JOBS = 64 };

// The number of the last job that the other node has claimed. It writes here.
static uint64_t claimed_by_peer;

// The number of the job that this node claims; the claim is written from here.
static uint64_t my_claim;

static void poll_one(ibv_cq *cq) {
  ibv_wc wc;
  int n;
  while ((n = ibv_poll_cq(cq, 1, &wc)) == 0)
    ;
  if (n < 0 || wc.status != IBV_WC_SUCCESS)
    die("work request");
}

static void claim_job(const connection &peer, const ibv_mr *mr, uint64_t job) {
  my_claim = job;
  ibv_sge sge = {};
  sge.addr = reinterpret_cast<uintptr_t>(&my_claim);
  sge.length = sizeof my_claim;
  sge.lkey = mr->lkey;
  ibv_send_wr wr = {}, *bad;
  wr.opcode = IBV_WR_RDMA_WRITE;
  wr.send_flags = IBV_SEND_SIGNALED;
  wr.sg_list = &sge;
  wr.num_sge = 1;
  wr.wr.rdma.remote_addr = peer.remote_addr;
  wr.wr.rdma.rkey = peer.rkey;
  if (ibv_post_send(peer.qp, &wr, &bad))
    die("WRITE of a claim");
  poll_one(peer.cq);
}

static bool peer_claims(uint64_t job) { return __atomic_load_n(&claimed_by_peer, __ATOMIC_ACQUIRE) >= job; }

struct memory_regions {
  ibv_mr *offered; // claimed_by_peer
  ibv_mr *own;     // my_claim
};

static memory_regions register_memory(const device &dev) {
  memory_regions mrs;
  mrs.offered = ibv_reg_mr(dev.pd, &claimed_by_peer, sizeof claimed_by_peer, REMOTE_ACCESS);
  mrs.own = ibv_reg_mr(dev.pd, &my_claim, sizeof my_claim, OWN_ACCESS);
  if (!mrs.offered || !mrs.own)
    die("ibv_reg_mr");
  return mrs;
}

static void start_together(const connection &peer) {
  tell_peer(&peer);
  await_peer(&peer);
}

// Compares the two nodes' lists of jobs done when all is over.
static int report(const char *me, const connection &peer, const char (&done)[JOBS + 1]) {
  char done_by_peer[JOBS + 1];
  swap_with_peer(&peer, done, done_by_peer, sizeof done);
  int mine = 0, both = 0;
  for (int job = 1; job <= JOBS; job++) {
    mine += done[job];
    both += done[job] && done_by_peer[job];
  }
  if (both)
    printf("BAD: %s: %d of %d jobs were done by both nodes\n", me, both, JOBS);
  else
    printf("ok: %s: did %d of %d jobs, none of them done by both nodes\n", me, mine, JOBS);
  return both ? EXIT_BAD_OUTCOME : 0;
}

static void close_all(device &dev, connection &peer, const memory_regions &mrs) {
  close_connection(&peer);
  ibv_dereg_mr(mrs.offered);
  ibv_dereg_mr(mrs.own);
  close_device(&dev);
}

int run_left(int port) {
  device dev;
  open_device(&dev);
  memory_regions mrs = register_memory(dev);
  connection right;
  accept_from(&right, &dev, listen_on(port), mrs.offered);
  start_together(right);

  char done[JOBS + 1] = {};
  for (uint64_t job = 1; job <= JOBS; job++) {
    claim_job(right, mrs.own, job);
    if (!peer_claims(job))
      done[job] = 1;
  }

  int status = report("left", right, done);
  close_all(dev, right, mrs);
  return status;
}

int run_right(int port) {
  device dev;
  open_device(&dev);
  memory_regions mrs = register_memory(dev);
  connection left;
  connect_to(&left, &dev, port, mrs.offered);
  start_together(left);

  char done[JOBS + 1] = {};
  for (uint64_t job = 1; job <= JOBS; job++) {
    claim_job(left, mrs.own, job);
    if (!peer_claims(job))
      done[job] = 1;
  }

  int status = report("right", left, done);
  close_all(dev, left, mrs);
  return status;
}

static const role roles[] = {{"left", 0}, {"right", 0}};

int main(int argc, char **argv) {
  if (argc == 2 && !strcmp(argv[1], "--all"))
    return launch(roles, 2);
  if (argc == 4 && !strcmp(argv[1], "left"))
    return run_left(atoi(argv[2]));
  if (argc == 4 && !strcmp(argv[1], "right"))
    return run_right(atoi(argv[2]));
  fprintf(stderr, "usage: %s --all | left PORT 0 | right PORT 0\n", argv[0]);
  return 2;
}
