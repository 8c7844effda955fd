/* tickets.c put right: the owner sets the counter back with remote atomics too, over a queue pair connected
 * to itself, so that its resets and the clients' draws are atomic towards each other. */
#include "common/launch.h"
#include "common/setup.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CLIENTS = 2, TICKETS = 60, DAYS = 20, DAY_MICROSECONDS = 500 };

static uint64_t counter; /* on the owner's node */
static uint64_t result;  /* where a node's remote atomics deliver what the counter was */

static uint64_t first_ticket(uint64_t day) { return day << 32; }
static uint64_t day_of(uint64_t value) { return value >> 32; }

static void poll_one(struct ibv_cq *cq) {
  struct ibv_wc wc;
  int n;
  while ((n = ibv_poll_cq(cq, 1, &wc)) == 0)
    ;
  if (n < 0 || wc.status != IBV_WC_SUCCESS)
    die("work request");
}

/* Returns what the counter was before. */
static uint64_t remote_atomic(const struct connection *to, const struct ibv_mr *mr, struct ibv_send_wr *wr) {
  struct ibv_sge sge = {.addr = (uintptr_t)&result, .length = sizeof result, .lkey = mr->lkey};
  struct ibv_send_wr *bad;

  wr->send_flags = IBV_SEND_SIGNALED;
  wr->sg_list = &sge;
  wr->num_sge = 1;
  wr->wr.atomic.remote_addr = to->remote_addr;
  wr->wr.atomic.rkey = to->rkey;
  if (ibv_post_send(to->qp, wr, &bad))
    die("remote atomic");
  poll_one(to->cq);
  return result;
}

static uint64_t fetch_and_add(const struct connection *to, const struct ibv_mr *mr, uint64_t more) {
  struct ibv_send_wr wr;

  memset(&wr, 0, sizeof wr);
  wr.opcode = IBV_WR_ATOMIC_FETCH_AND_ADD;
  wr.wr.atomic.compare_add = more;
  return remote_atomic(to, mr, &wr);
}

static uint64_t compare_and_swap(const struct connection *to, const struct ibv_mr *mr, uint64_t expected,
                                 uint64_t next) {
  struct ibv_send_wr wr;

  memset(&wr, 0, sizeof wr);
  wr.opcode = IBV_WR_ATOMIC_CMP_AND_SWP;
  wr.wr.atomic.compare_add = expected;
  wr.wr.atomic.swap = next;
  return remote_atomic(to, mr, &wr);
}

int run_client(int port, int id) {
  struct device dev;
  open_device(&dev);
  struct ibv_mr *mr = ibv_reg_mr(dev.pd, &result, sizeof result, OWN_ACCESS);
  if (!mr)
    die("ibv_reg_mr");
  struct connection owner;
  connect_to(&owner, &dev, port, NULL);
  await_peer(&owner);

  uint64_t last = 0;
  for (int i = 0; i < TICKETS; i++)
    last = fetch_and_add(&owner, mr, 1);

  printf("client %d: last ticket: number %u of day %u\n", id, (unsigned)last, (unsigned)day_of(last));
  tell_peer(&owner);
  await_peer(&owner);
  close_connection(&owner);
  ibv_dereg_mr(mr);
  close_device(&dev);
  return 0;
}

static void begin_day(const struct connection *self, const struct ibv_mr *mr, uint64_t day) {
  uint64_t expected = fetch_and_add(self, mr, 0);
  for (;;) {
    uint64_t was = compare_and_swap(self, mr, expected, first_ticket(day));
    if (was == expected)
      return;
    expected = was;
  }
}

static uint64_t today(const struct connection *self, const struct ibv_mr *mr) {
  return day_of(fetch_and_add(self, mr, 0));
}

int run_owner(int port) {
  struct device dev;
  open_device(&dev);
  struct ibv_mr *mr = ibv_reg_mr(dev.pd, &counter, sizeof counter, REMOTE_ACCESS);
  if (!mr)
    die("ibv_reg_mr");
  struct ibv_mr *result_mr = ibv_reg_mr(dev.pd, &result, sizeof result, OWN_ACCESS);
  if (!result_mr)
    die("ibv_reg_mr");
  struct connection self;
  connect_to_self(&self, &dev, mr);
  int listener = listen_on(port);
  struct connection clients[CLIENTS];
  for (int i = 0; i < CLIENTS; i++)
    accept_from(&clients[i], &dev, listener, mr);
  for (int i = 0; i < CLIENTS; i++)
    tell_peer(&clients[i]);

  int lost = 0;
  for (uint64_t day = 1; day <= DAYS; day++) {
    begin_day(&self, result_mr, day);
    usleep(DAY_MICROSECONDS);
    if (today(&self, result_mr) != day)
      lost++;
  }

  if (lost)
    printf("BAD: owner: %d of %d days never began, a ticket of the day before undid the reset\n", lost, DAYS);
  else
    printf("ok: owner: all %d days began\n", DAYS);
  for (int i = 0; i < CLIENTS; i++)
    await_peer(&clients[i]);
  for (int i = 0; i < CLIENTS; i++)
    tell_peer(&clients[i]);
  for (int i = 0; i < CLIENTS; i++)
    close_connection(&clients[i]);
  close_connection(&self);
  ibv_dereg_mr(result_mr);
  ibv_dereg_mr(mr);
  close_device(&dev);
  return lost ? EXIT_BAD_OUTCOME : 0;
}

static const struct role roles[] = {{"owner", 0}, {"client", 0}, {"client", 1}};

int main(int argc, char **argv) {
  if (argc == 2 && !strcmp(argv[1], "--all"))
    return launch(roles, 1 + CLIENTS);
  if (argc == 4 && !strcmp(argv[1], "owner"))
    return run_owner(atoi(argv[2]));
  if (argc == 4 && !strcmp(argv[1], "client"))
    return run_client(atoi(argv[2]), atoi(argv[3]));
  fprintf(stderr, "usage: %s --all | owner PORT 0 | client PORT ID\n", argv[0]);
  return 2;
}
