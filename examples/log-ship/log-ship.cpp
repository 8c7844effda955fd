// A primary ships its log to a backup: each record is written in a slot of a small ring and posted from there
// as an RDMA WRITE without a completion of its own. After a batch the primary reads the last record back;
// when that READ has completed, the whole batch is in the backup's memory. At the end the backup checks every
// record.
#include "common/launch.h"
#include "common/setup.h"

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>

enum { SLOTS = 4, BATCH = 16, BATCHES = 6, RECORDS = BATCH * BATCHES };

struct record {
  uint64_t sequence;
  uint64_t body[6];
  uint64_t checksum;
};

struct log_file {
  record records[RECORDS];
};

static log_file backup_log; // the backup's copy, written by the primary

// The primary's side: the ring that records are shipped from, and the record that is read back.
struct primary_memory {
  record ring[SLOTS];
  record last;
};
static primary_memory local;

static uint64_t checksum(const record &r) {
  uint64_t sum = r.sequence;
  for (uint64_t word : r.body)
    sum = sum * 1099511628211u + word;
  return sum;
}

static void fill_record(record &r, uint64_t sequence) {
  r.sequence = sequence;
  for (int i = 0; i < 6; i++)
    r.body[i] = sequence * 1000 + i;
  r.checksum = checksum(r);
}

static uint64_t place_of(uint64_t sequence) {
  return offsetof(log_file, records) + sequence * sizeof(record);
}

static void ship_record(const connection &to, const ibv_mr *mr, record &r, uint64_t sequence) {
  ibv_sge sge = {};
  sge.addr = reinterpret_cast<uintptr_t>(&r);
  sge.length = sizeof r;
  sge.lkey = mr->lkey;
  ibv_send_wr wr = {}, *bad;
  wr.opcode = IBV_WR_RDMA_WRITE;
  wr.sg_list = &sge;
  wr.num_sge = 1;
  wr.wr.rdma.remote_addr = to.remote_addr + place_of(sequence);
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

// A READ that has completed has pushed the WRITEs before it into the backup's memory.
static void read_back(const connection &from, const ibv_mr *mr, uint64_t sequence) {
  ibv_sge sge = {};
  sge.addr = reinterpret_cast<uintptr_t>(&local.last);
  sge.length = sizeof local.last;
  sge.lkey = mr->lkey;
  ibv_send_wr wr = {}, *bad;
  wr.opcode = IBV_WR_RDMA_READ;
  wr.send_flags = IBV_SEND_SIGNALED;
  wr.sg_list = &sge;
  wr.num_sge = 1;
  wr.wr.rdma.remote_addr = from.remote_addr + place_of(sequence);
  wr.wr.rdma.rkey = from.rkey;
  if (ibv_post_send(from.qp, &wr, &bad))
    die("READ of the last record");
  poll_one(from.cq);
}

int run_primary(int port) {
  device dev;
  open_device(&dev);
  ibv_mr *mr = ibv_reg_mr(dev.pd, &local, sizeof local, OWN_ACCESS);
  if (!mr)
    die("ibv_reg_mr");
  connection backup;
  connect_to(&backup, &dev, port, nullptr);

  uint64_t sequence = 0;
  for (int batch = 0; batch < BATCHES; batch++) {
    for (int i = 0; i < BATCH; i++) {
      record &slot = local.ring[sequence % SLOTS];
      fill_record(slot, sequence);
      ship_record(backup, mr, slot, sequence);
      sequence++;
    }
    read_back(backup, mr, sequence - 1);
  }

  tell_peer(&backup);
  await_peer(&backup);
  close_connection(&backup);
  ibv_dereg_mr(mr);
  close_device(&dev);
  return 0;
}

// The records that are not what the primary wrote in their place.
static int count_wrong_records() {
  int wrong = 0;
  for (uint64_t i = 0; i < RECORDS; i++) {
    record r;
    auto *from = reinterpret_cast<volatile uint64_t *>(&backup_log.records[i]);
    auto *to = reinterpret_cast<uint64_t *>(&r);
    for (size_t word = 0; word < sizeof r / sizeof *to; word++)
      to[word] = from[word];
    if (r.sequence != i || r.checksum != checksum(r))
      wrong++;
  }
  return wrong;
}

int run_backup(int port) {
  device dev;
  open_device(&dev);
  ibv_mr *mr = ibv_reg_mr(dev.pd, &backup_log, sizeof backup_log, REMOTE_ACCESS);
  if (!mr)
    die("ibv_reg_mr");
  int listener = listen_on(port);
  connection primary;
  accept_from(&primary, &dev, listener, mr);
  await_peer(&primary);

  int wrong = count_wrong_records();
  if (wrong)
    printf("BAD: backup: %d of %d records are not what the primary logged\n", wrong, RECORDS);
  else
    printf("ok: backup: %d records, all as the primary logged them\n", RECORDS);
  tell_peer(&primary);
  close_connection(&primary);
  ibv_dereg_mr(mr);
  close_device(&dev);
  return wrong ? EXIT_BAD_OUTCOME : 0;
}

static const role roles[] = {{"backup", 0}, {"primary", 0}};

int main(int argc, char **argv) {
  if (argc == 2 && !strcmp(argv[1], "--all"))
    return launch(roles, 2);
  if (argc == 4 && !strcmp(argv[1], "backup"))
    return run_backup(atoi(argv[2]));
  if (argc == 4 && !strcmp(argv[1], "primary"))
    return run_primary(atoi(argv[2]));
  fprintf(stderr, "usage: %s --all | backup PORT 0 | primary PORT 0\n", argv[0]);
  return 2;
}
