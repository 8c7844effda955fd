/* A keeper holds the current record of an account. An archiver replaces it again and again: each time it
 * saves the old record with a READ, writes the new one in its place, posts both in one go to save a round
 * trip, and polls both completions. What it saved must be the record that it wrote the time before. */
#include "common/launch.h"
#include "common/setup.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REPLACEMENTS = 40 };

struct record {
  uint64_t number;
  uint64_t balance;
  uint64_t text[6];
};

static struct record current; /* in the keeper's memory */

static struct {
  struct record next;  /* what is written */
  struct record saved; /* where the old record goes */
} local;               /* in the archiver's memory */

static void fill_request(struct ibv_send_wr *wr, struct ibv_sge *sge, enum ibv_wr_opcode opcode, void *buffer,
                         const struct ibv_mr *mr, const struct connection *to) {
  memset(sge, 0, sizeof *sge);
  sge->addr = (uintptr_t)buffer;
  sge->length = sizeof(struct record);
  sge->lkey = mr->lkey;
  memset(wr, 0, sizeof *wr);
  wr->opcode = opcode;
  wr->send_flags = IBV_SEND_SIGNALED;
  wr->sg_list = sge;
  wr->num_sge = 1;
  wr->wr.rdma.remote_addr = to->remote_addr;
  wr->wr.rdma.rkey = to->rkey;
}

static void poll_one(struct ibv_cq *cq) {
  struct ibv_wc wc;
  int n;
  while ((n = ibv_poll_cq(cq, 1, &wc)) == 0)
    ;
  if (n < 0 || wc.status != IBV_WC_SUCCESS)
    die("work request");
}

static void save_and_replace(const struct connection *keeper, const struct ibv_mr *mr) {
  struct ibv_sge old_sge, new_sge;
  struct ibv_send_wr read_wr, write_wr, *bad;

  fill_request(&read_wr, &old_sge, IBV_WR_RDMA_READ, &local.saved, mr, keeper);
  fill_request(&write_wr, &new_sge, IBV_WR_RDMA_WRITE, &local.next, mr, keeper);
  if (ibv_post_send(keeper->qp, &read_wr, &bad))
    die("READ of the old record");
  if (ibv_post_send(keeper->qp, &write_wr, &bad))
    die("WRITE of the new record");
  poll_one(keeper->cq);
  poll_one(keeper->cq);
}

static void fill_record(struct record *r, uint64_t number) {
  r->number = number;
  r->balance = number * 100;
  for (int i = 0; i < 6; i++)
    r->text[i] = number;
}

int run_archiver(int port) {
  struct device dev;
  open_device(&dev);
  struct ibv_mr *mr = ibv_reg_mr(dev.pd, &local, sizeof local, OWN_ACCESS);
  if (!mr)
    die("ibv_reg_mr");
  struct connection keeper;
  connect_to(&keeper, &dev, port, NULL);

  int lost = 0;
  for (uint64_t number = 1; number <= REPLACEMENTS; number++) {
    fill_record(&local.next, number);
    save_and_replace(&keeper, mr);
    if (local.saved.number != number - 1)
      lost++;
  }

  if (lost)
    printf("BAD: archiver: %d of %d old records were gone before they were saved\n", lost, REPLACEMENTS);
  else
    printf("ok: archiver: %d old records saved\n", REPLACEMENTS);
  tell_peer(&keeper);
  await_peer(&keeper);
  close_connection(&keeper);
  ibv_dereg_mr(mr);
  close_device(&dev);
  return lost ? EXIT_BAD_OUTCOME : 0;
}

int run_keeper(int port) {
  struct device dev;
  open_device(&dev);
  struct ibv_mr *mr = ibv_reg_mr(dev.pd, &current, sizeof current, REMOTE_ACCESS);
  if (!mr)
    die("ibv_reg_mr");
  int listener = listen_on(port);
  struct connection archiver;
  accept_from(&archiver, &dev, listener, mr);
  await_peer(&archiver);
  tell_peer(&archiver);
  close_connection(&archiver);
  ibv_dereg_mr(mr);
  close_device(&dev);
  return 0;
}

static const struct role roles[] = {{"keeper", 0}, {"archiver", 0}};

int main(int argc, char **argv) {
  if (argc == 2 && !strcmp(argv[1], "--all"))
    return launch(roles, 2);
  if (argc == 4 && !strcmp(argv[1], "keeper"))
    return run_keeper(atoi(argv[2]));
  if (argc == 4 && !strcmp(argv[1], "archiver"))
    return run_archiver(atoi(argv[2]));
  fprintf(stderr, "usage: %s --all | keeper PORT 0 | archiver PORT 0\n", argv[0]);
  return 2;
}
