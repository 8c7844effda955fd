// A source sends a report to a sink: it writes the report's blocks straight into the sink's memory, polls
// every completion, and then raises a flag at the relay, which passes it on to the sink. The sink waits for
// the flag and reads the report. The blocks and the flag travel on two different paths.
#include "common/launch.h"
#include "common/setup.h"

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sched.h>

enum { BLOCKS = 8, WORDS = 8 };
enum { RELAY_PORT = 0, SINK_PORT = 1 };

struct block {
  uint64_t words[WORDS];
};

struct sink_inbox {
  block blocks[BLOCKS];
  uint64_t ready;
};
static sink_inbox inbox; // the sink's: blocks from the source, ready from the relay

struct relay_mailbox {
  uint64_t ready;
};
static relay_mailbox mailbox; // the relay's: ready from the source

// What the source and the relay write from.
struct sender_memory {
  block blocks[BLOCKS];
  uint64_t ready;
};
static sender_memory outbox;

static void post_write(const connection &to, const ibv_mr *mr, const void *from, size_t size, size_t offset) {
  ibv_sge sge = {};
  sge.addr = reinterpret_cast<uintptr_t>(from);
  sge.length = static_cast<uint32_t>(size);
  sge.lkey = mr->lkey;
  ibv_send_wr wr = {}, *bad;
  wr.opcode = IBV_WR_RDMA_WRITE;
  wr.send_flags = IBV_SEND_SIGNALED;
  wr.sg_list = &sge;
  wr.num_sge = 1;
  wr.wr.rdma.remote_addr = to.remote_addr + offset;
  wr.wr.rdma.rkey = to.rkey;
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

static void send_blocks(const connection &to, const ibv_mr *mr) {
  for (int i = 0; i < BLOCKS; i++)
    post_write(to, mr, &outbox.blocks[i], sizeof(block), offsetof(sink_inbox, blocks) + i * sizeof(block));
  for (int i = 0; i < BLOCKS; i++)
    poll_one(to.cq);
}

static void raise_flag(const connection &to, const ibv_mr *mr, size_t offset) {
  outbox.ready = 1;
  post_write(to, mr, &outbox.ready, sizeof outbox.ready, offset);
  poll_one(to.cq);
}

static void wait_for(const uint64_t &flag) {
  while (__atomic_load_n(&flag, __ATOMIC_ACQUIRE) == 0)
    sched_yield();
}

static void write_report() {
  for (int i = 0; i < BLOCKS; i++)
    for (int word = 0; word < WORDS; word++)
      outbox.blocks[i].words[word] = 100 * (i + 1) + word;
}

static int count_missing_blocks() {
  int missing = 0;
  for (int i = 0; i < BLOCKS; i++) {
    bool whole = true;
    for (int word = 0; word < WORDS; word++) {
      uint64_t seen = __atomic_load_n(&inbox.blocks[i].words[word], __ATOMIC_RELAXED);
      whole &= seen == static_cast<uint64_t>(100 * (i + 1) + word);
    }
    missing += !whole;
  }
  return missing;
}

static ibv_mr *offer(const device &dev, void *memory, size_t size) {
  ibv_mr *mr = ibv_reg_mr(dev.pd, memory, size, REMOTE_ACCESS);
  if (!mr)
    die("ibv_reg_mr");
  return mr;
}

static ibv_mr *register_outbox(const device &dev) {
  ibv_mr *mr = ibv_reg_mr(dev.pd, &outbox, sizeof outbox, OWN_ACCESS);
  if (!mr)
    die("ibv_reg_mr");
  return mr;
}

int run_source(int port) {
  device dev;
  open_device(&dev);
  ibv_mr *mr = register_outbox(dev);
  connection relay, sink;
  connect_to(&relay, &dev, port + RELAY_PORT, nullptr);
  connect_to(&sink, &dev, port + SINK_PORT, nullptr);
  write_report();
  await_peer(&sink);

  send_blocks(sink, mr);
  raise_flag(relay, mr, offsetof(relay_mailbox, ready));

  await_peer(&sink);
  close_connection(&relay);
  close_connection(&sink);
  ibv_dereg_mr(mr);
  close_device(&dev);
  return 0;
}

int run_relay(int port) {
  device dev;
  open_device(&dev);
  ibv_mr *mailbox_mr = offer(dev, &mailbox, sizeof mailbox);
  ibv_mr *mr = register_outbox(dev);
  int listener = listen_on(port + RELAY_PORT);
  connection source, sink;
  connect_to(&sink, &dev, port + SINK_PORT, nullptr);
  accept_from(&source, &dev, listener, mailbox_mr);
  await_peer(&sink);

  wait_for(mailbox.ready);
  raise_flag(sink, mr, offsetof(sink_inbox, ready));

  await_peer(&sink);
  close_connection(&source);
  close_connection(&sink);
  ibv_dereg_mr(mailbox_mr);
  ibv_dereg_mr(mr);
  close_device(&dev);
  return 0;
}

int run_sink(int port) {
  device dev;
  open_device(&dev);
  ibv_mr *mr = offer(dev, &inbox, sizeof inbox);
  int listener = listen_on(port + SINK_PORT);
  connection peers[2]; // the relay and the source
  for (connection &peer : peers)
    accept_from(&peer, &dev, listener, mr);
  for (connection &peer : peers)
    tell_peer(&peer);

  wait_for(inbox.ready);
  int missing = count_missing_blocks();

  if (missing)
    printf("BAD: sink: the flag is up and %d of %d blocks have not arrived\n", missing, BLOCKS);
  else
    printf("ok: sink: the flag is up and all %d blocks are here\n", BLOCKS);
  for (connection &peer : peers)
    tell_peer(&peer);
  for (connection &peer : peers)
    close_connection(&peer);
  ibv_dereg_mr(mr);
  close_device(&dev);
  return missing ? EXIT_BAD_OUTCOME : 0;
}

static const role roles[] = {{"sink", 0}, {"relay", 0}, {"source", 0}};

int main(int argc, char **argv) {
  if (argc == 2 && !strcmp(argv[1], "--all"))
    return launch(roles, 3);
  if (argc == 4 && !strcmp(argv[1], "source"))
    return run_source(atoi(argv[2]));
  if (argc == 4 && !strcmp(argv[1], "relay"))
    return run_relay(atoi(argv[2]));
  if (argc == 4 && !strcmp(argv[1], "sink"))
    return run_sink(atoi(argv[2]));
  fprintf(stderr, "usage: %s --all | source PORT 0 | relay PORT 0 | sink PORT 0\n", argv[0]);
  return 2;
}
