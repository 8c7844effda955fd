/* What the programs of this folder share: one process that writes to its own memory through a queue pair, message
 * after message out of one buffer, and at the end holds what arrived against what it sent. Each takes its
 * completions in a way of its own, counts them, and ends with 3 when a message is wrong, with 1 when a completion
 * is lost, comes twice or out of turn. */
#ifndef FIX_H
#define FIX_H

#include "common/setup.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MESSAGES = 24, WORDS = 8, LOST = 1 };

struct message {
  uint64_t words[WORDS];
};

static struct message inbox[MESSAGES]; /* what is written to */
static struct message outbox;          /* what is sent from */

static inline void fill(struct message *m, uint64_t number) {
  for (int i = 0; i < WORDS; i++)
    m->words[i] = number;
}

/* 0, or an error number. */
static inline int post_write(struct ibv_qp *qp, const struct connection *to, struct ibv_mr *mr,
                             struct message *from, uint64_t index, unsigned flags) {
  struct ibv_sge sge = {.addr = (uintptr_t)from, .length = sizeof *from, .lkey = mr->lkey};
  struct ibv_send_wr wr, *bad;
  memset(&wr, 0, sizeof wr);
  wr.wr_id = index;
  wr.opcode = IBV_WR_RDMA_WRITE;
  wr.send_flags = flags;
  wr.sg_list = &sge;
  wr.num_sge = 1;
  wr.wr.rdma.remote_addr = to->remote_addr + index * sizeof(struct message);
  wr.wr.rdma.rkey = to->rkey;
  return ibv_post_send(qp, &wr, &bad);
}

/* A device, and the boxes registered with it. */
struct setting {
  struct device dev;
  struct ibv_mr *out, *in;
};

#ifdef __cplusplus
extern "C" {
#endif

/* All of these are in arrived.c, which is compiled but not given to the tools.
 *
 * Opens the device and registers one message to send from, and all of them to write to. */
void begin(struct setting *s, struct message *from, struct message *to);
/* Closes the connection and all that was begun; the exit status. */
int finish(struct setting *s, struct connection *self, const struct message *all, int lost);
/* A queue pair connected to itself, with room for so many requests, whose completions go to the queue. */
void loop_back(struct connection *self, const struct device *dev, const struct ibv_mr *offered, struct ibv_cq *cq,
               uint32_t room);
/* Reads back what was written last and polls
 * for that READ; the number of other completions that the queue still had. */
int arrived(const struct connection *to);
/* Polls for as long as it takes; the queue's next completion. */
struct ibv_wc take_one(struct ibv_cq *cq);
/* The exit status: what arrived, and whether completions were lost. */
int verdict(const struct message *all, int lost);

#ifdef __cplusplus
}
#endif

/* Begins with a ring of messages to send from, all of it registered. */
static inline struct ibv_mr *begin_ring(struct setting *s, struct message *ring, size_t bytes) {
  begin(s, ring, inbox);
  struct ibv_mr *mr = ibv_reg_mr(s->dev.pd, ring, bytes, OWN_ACCESS);
  if (!mr)
    die("ibv_reg_mr");
  return mr;
}

#endif
