// Records go out in bursts of WINDOW, each from a slot of its own. The completion of a burst is polled when
// the next one has been posted, which is too late: its slots have been filled again by then.
#include "common/launch.h"
#include "common/setup.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

enum { WINDOW = 16, BURSTS = 8, RECORDS = WINDOW * BURSTS };

using record = uint64_t;
static record store[RECORDS]; // on the receiver
static record slots[WINDOW];
static record last;

static void ship(const connection &to, const ibv_mr *mr, record &from, int number, bool signaled) {
  ibv_sge sge = {};
  sge.addr = reinterpret_cast<uintptr_t>(&from);
  sge.length = sizeof from;
  sge.lkey = mr->lkey;
  ibv_send_wr wr = {}, *bad;
  wr.opcode = IBV_WR_RDMA_WRITE;
  wr.send_flags = signaled ? IBV_SEND_SIGNALED : 0;
  wr.sg_list = &sge;
  wr.num_sge = 1;
  wr.wr.rdma.remote_addr = to.remote_addr + number * sizeof(record);
  wr.wr.rdma.rkey = to.rkey;
  if (ibv_post_send(to.qp, &wr, &bad))
    die("WRITE of a record");
}

static void poll_one(ibv_cq *cq) {
  ibv_wc wc;
  int n;
  while ((n = ibv_poll_cq(cq, 1, &wc)) == 0)
    ;
  if (n < 0 || wc.status != IBV_WC_SUCCESS)
    die("work request");
}

static void read_back(const connection &from, const ibv_mr *mr) {
  ibv_sge sge = {};
  sge.addr = reinterpret_cast<uintptr_t>(&last);
  sge.length = sizeof last;
  sge.lkey = mr->lkey;
  ibv_send_wr wr = {}, *bad;
  wr.opcode = IBV_WR_RDMA_READ;
  wr.send_flags = IBV_SEND_SIGNALED;
  wr.sg_list = &sge;
  wr.num_sge = 1;
  wr.wr.rdma.remote_addr = from.remote_addr + (RECORDS - 1) * sizeof(record);
  wr.wr.rdma.rkey = from.rkey;
  if (ibv_post_send(from.qp, &wr, &bad))
    die("READ of the last record");
  poll_one(from.cq);
}

int run_sender(int port) {
  device dev;
  open_device(&dev);
  ibv_mr *mr = ibv_reg_mr(dev.pd, slots, sizeof slots, OWN_ACCESS);
  ibv_mr *last_mr = ibv_reg_mr(dev.pd, &last, sizeof last, OWN_ACCESS);
  if (!mr || !last_mr)
    die("ibv_reg_mr");
  connection peer;
  connect_to(&peer, &dev, port, nullptr);
  for (int burst = 0; burst < BURSTS; burst++) {
    for (int i = 0; i < WINDOW; i++) {
      slots[i] = burst * WINDOW + i + 1;
      ship(peer, mr, slots[i], burst * WINDOW + i, i == WINDOW - 1);
    }
    if (burst > 0)
      poll_one(peer.cq);
  }
  poll_one(peer.cq);
  read_back(peer, last_mr);
  tell_peer(&peer);
  await_peer(&peer);
  close_connection(&peer);
  ibv_dereg_mr(mr);
  ibv_dereg_mr(last_mr);
  close_device(&dev);
  return 0;
}

int run_receiver(int port) {
  device dev;
  open_device(&dev);
  ibv_mr *mr = ibv_reg_mr(dev.pd, store, sizeof store, REMOTE_ACCESS);
  if (!mr)
    die("ibv_reg_mr");
  connection peer;
  accept_from(&peer, &dev, listen_on(port), mr);
  await_peer(&peer);
  int wrong = 0;
  for (uint64_t i = 0; i < RECORDS; i++)
    wrong += *const_cast<volatile record *>(&store[i]) != i + 1;
  printf("%s: receiver: %d of %d records are wrong\n", wrong ? "BAD" : "ok", wrong, RECORDS);
  tell_peer(&peer);
  close_connection(&peer);
  ibv_dereg_mr(mr);
  close_device(&dev);
  return wrong ? EXIT_BAD_OUTCOME : 0;
}

static const role roles[] = {{"receiver", 0}, {"sender", 0}};

int main(int argc, char **argv) {
  if (argc == 2 && !strcmp(argv[1], "--all"))
    return launch(roles, 2);
  if (argc == 4 && !strcmp(argv[1], "receiver"))
    return run_receiver(atoi(argv[2]));
  if (argc == 4 && !strcmp(argv[1], "sender"))
    return run_sender(atoi(argv[2]));
  fprintf(stderr, "usage: %s --all | receiver PORT 0 | sender PORT 0\n", argv[0]);
  return 2;
}
