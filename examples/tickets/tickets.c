/* Clients draw numbered tickets from a counter on the owner's node with a remote fetch-and-add. The upper
 * half of the counter is the day, the lower half the number of the next ticket. Each new day the owner sets
 * the counter back with a plain store to its own memory. */
#include "common/launch.h"
#include "common/setup.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CLIENTS = 2, TICKETS = 60, DAYS = 20, DAY_MICROSECONDS = 500 };

static uint64_t counter; /* on the owner's node */
static uint64_t ticket;  /* a client's: where its next ticket is delivered */

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

static uint64_t draw_ticket(const struct connection *owner, const struct ibv_mr *mr) {
  struct ibv_sge sge = {.addr = (uintptr_t)&ticket, .length = sizeof ticket, .lkey = mr->lkey};
  struct ibv_send_wr wr, *bad;

  memset(&wr, 0, sizeof wr);
  wr.opcode = IBV_WR_ATOMIC_FETCH_AND_ADD;
  wr.send_flags = IBV_SEND_SIGNALED;
  wr.sg_list = &sge;
  wr.num_sge = 1;
  wr.wr.atomic.remote_addr = owner->remote_addr;
  wr.wr.atomic.rkey = owner->rkey;
  wr.wr.atomic.compare_add = 1;
  if (ibv_post_send(owner->qp, &wr, &bad))
    die("fetch-and-add");
  poll_one(owner->cq);
  return ticket;
}

int run_client(int port, int id) {
  struct device dev;
  open_device(&dev);
  struct ibv_mr *mr = ibv_reg_mr(dev.pd, &ticket, sizeof ticket, OWN_ACCESS);
  if (!mr)
    die("ibv_reg_mr");
  struct connection owner;
  connect_to(&owner, &dev, port, NULL);
  await_peer(&owner);

  uint64_t last = 0;
  for (int i = 0; i < TICKETS; i++)
    last = draw_ticket(&owner, mr);

  printf("client %d: last ticket: number %u of day %u\n", id, (unsigned)last, (unsigned)day_of(last));
  tell_peer(&owner);
  await_peer(&owner);
  close_connection(&owner);
  ibv_dereg_mr(mr);
  close_device(&dev);
  return 0;
}

static void begin_day(uint64_t day) {
  __atomic_store_n(&counter, first_ticket(day), __ATOMIC_RELEASE);
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

static uint64_t today(void) { return day_of(__atomic_load_n(&counter, __ATOMIC_ACQUIRE)); }

int run_owner(int port) {
  struct device dev;
  open_device(&dev);
  struct ibv_mr *mr = ibv_reg_mr(dev.pd, &counter, sizeof counter, REMOTE_ACCESS);
  if (!mr)
    die("ibv_reg_mr");
  int listener = listen_on(port);
  struct connection clients[CLIENTS];
  for (int i = 0; i < CLIENTS; i++)
    accept_from(&clients[i], &dev, listener, mr);
  for (int i = 0; i < CLIENTS; i++)
    tell_peer(&clients[i]);

  int lost = 0;
  for (uint64_t day = 1; day <= DAYS; day++) {
    begin_day(day);
    usleep(DAY_MICROSECONDS);
    if (today() != day)
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
