// Lamport's bakery algorithm, moved to RDMA as it is in the textbook: every shared variable lies on one
// server, a load is a READ, a store is a WRITE. Each READ is polled before the client does anything else; no
// WRITE is ever polled: it carries its value inline, asks for no completion, and the queue pair keeps it in
// order with the READs and WRITEs after it. In the critical section a client adds one to its own entry of a
// shared ledger.
#include "common/launch.h"
#include "common/setup.h"

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sched.h>

enum { CLIENTS = 3, TURNS = 8 };

struct bakery {
  uint64_t choosing[CLIENTS];
  uint64_t number[CLIENTS];
  uint64_t ledger[CLIENTS]; // guarded by the lock
};

static bakery shared; // in the server's memory
static bakery local;  // a client's: what it has read last

static void post(const connection &to, ibv_send_wr &wr) {
  ibv_send_wr *bad;
  if (ibv_post_send(to.qp, &wr, &bad))
    die("ibv_post_send");
}

static void poll_one(ibv_cq *cq) {
  ibv_wc wc;
  int n;
  while ((n = ibv_poll_cq(cq, 1, &wc)) == 0)
    ;
  if (n < 0 || wc.status != IBV_WC_SUCCESS)
    die("work request");
}

// shared.<place> = values. The values are taken when the WRITE is posted, so they may change at once.
static void store(const connection &server, size_t place, const uint64_t *values, size_t count) {
  ibv_sge sge = {};
  sge.addr = reinterpret_cast<uintptr_t>(values);
  sge.length = static_cast<uint32_t>(count * sizeof *values);
  ibv_send_wr wr = {};
  wr.opcode = IBV_WR_RDMA_WRITE;
  wr.send_flags = IBV_SEND_INLINE;
  wr.sg_list = &sge;
  wr.num_sge = 1;
  wr.wr.rdma.remote_addr = server.remote_addr + place;
  wr.wr.rdma.rkey = server.rkey;
  post(server, wr);
}

// into[0..count) = shared.<place>
static void load(const connection &server, const ibv_mr *mr, size_t place, uint64_t *into, size_t count) {
  ibv_sge sge = {};
  sge.addr = reinterpret_cast<uintptr_t>(into);
  sge.length = static_cast<uint32_t>(count * sizeof *into);
  sge.lkey = mr->lkey;
  ibv_send_wr wr = {};
  wr.opcode = IBV_WR_RDMA_READ;
  wr.send_flags = IBV_SEND_SIGNALED;
  wr.sg_list = &sge;
  wr.num_sge = 1;
  wr.wr.rdma.remote_addr = server.remote_addr + place;
  wr.wr.rdma.rkey = server.rkey;
  post(server, wr);
  poll_one(server.cq);
}

static size_t place_of_choosing(int who) { return offsetof(bakery, choosing) + who * sizeof(uint64_t); }
static size_t place_of_number(int who) { return offsetof(bakery, number) + who * sizeof(uint64_t); }

static uint64_t take_number(const connection &server, const ibv_mr *mr, int me) {
  uint64_t flag = 1;
  store(server, place_of_choosing(me), &flag, 1);
  load(server, mr, offsetof(bakery, number), local.number, CLIENTS);
  uint64_t number = 1;
  for (uint64_t taken : local.number)
    if (taken >= number)
      number = taken + 1;
  store(server, place_of_number(me), &number, 1);
  flag = 0;
  store(server, place_of_choosing(me), &flag, 1);
  return number;
}

static bool goes_before(uint64_t number, int who, uint64_t my_number, int me) {
  return number != 0 && (number < my_number || (number == my_number && who < me));
}

static void enter(const connection &server, const ibv_mr *mr, int me) {
  uint64_t my_number = take_number(server, mr, me);
  for (int who = 0; who < CLIENTS; who++) {
    if (who == me)
      continue;
    for (;;) {
      load(server, mr, place_of_choosing(who), &local.choosing[who], 1);
      if (!local.choosing[who])
        break;
      sched_yield();
    }
    for (;;) {
      load(server, mr, place_of_number(who), &local.number[who], 1);
      if (!goes_before(local.number[who], who, my_number, me))
        break;
      sched_yield();
    }
  }
}

static void leave(const connection &server, int me) {
  uint64_t no_number = 0;
  store(server, place_of_number(me), &no_number, 1);
}

int run_client(int port, int id) {
  device dev;
  open_device(&dev);
  ibv_mr *mr = ibv_reg_mr(dev.pd, &local, sizeof local, OWN_ACCESS);
  if (!mr)
    die("ibv_reg_mr");
  connection server;
  connect_to(&server, &dev, port, nullptr);
  await_peer(&server);

  int lost = 0;
  for (uint64_t turn = 0; turn < TURNS; turn++) {
    enter(server, mr, id);
    load(server, mr, offsetof(bakery, ledger), local.ledger, CLIENTS);
    if (local.ledger[id] != turn)
      lost++;
    local.ledger[id] = turn + 1;
    store(server, offsetof(bakery, ledger), local.ledger, CLIENTS);
    leave(server, id);
  }

  if (lost)
    printf("BAD: client %d: %d of %d entries in the ledger were lost\n", id, lost, TURNS);
  else
    printf("ok: client %d: %d entries in the ledger, none lost\n", id, TURNS);
  tell_peer(&server);
  await_peer(&server);
  close_connection(&server);
  ibv_dereg_mr(mr);
  close_device(&dev);
  return lost ? EXIT_BAD_OUTCOME : 0;
}

int run_server(int port) {
  device dev;
  open_device(&dev);
  ibv_mr *mr = ibv_reg_mr(dev.pd, &shared, sizeof shared, REMOTE_ACCESS);
  if (!mr)
    die("ibv_reg_mr");
  int listener = listen_on(port);
  connection clients[CLIENTS];
  for (connection &client : clients)
    accept_from(&client, &dev, listener, mr);
  for (connection &client : clients)
    tell_peer(&client);
  for (connection &client : clients)
    await_peer(&client);
  for (connection &client : clients)
    tell_peer(&client);
  for (connection &client : clients)
    close_connection(&client);
  ibv_dereg_mr(mr);
  close_device(&dev);
  return 0;
}

static const role roles[] = {{"server", 0}, {"client", 0}, {"client", 1}, {"client", 2}};

int main(int argc, char **argv) {
  if (argc == 2 && !strcmp(argv[1], "--all"))
    return launch(roles, 1 + CLIENTS);
  if (argc == 4 && !strcmp(argv[1], "server"))
    return run_server(atoi(argv[2]));
  if (argc == 4 && !strcmp(argv[1], "client"))
    return run_client(atoi(argv[2]), atoi(argv[3]));
  fprintf(stderr, "usage: %s --all | server PORT 0 | client PORT ID\n", argv[0]);
  return 2;
}
