// A page of shared state lives on server A, the lock that guards it on server B. Clients take the lock with a
// remote compare-and-swap, read the page, change it, write it back, poll the completion of the write, and
// only then give the lock back. Each client keeps a count of its own changes in the page, so it notices when
// the client before it worked on an old page.
#include "common/launch.h"
#include "common/setup.h"

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sched.h>

enum { CLIENTS = 2, TURNS = 40 };
enum { PAGE_SERVER_PORT = 0, LOCK_SERVER_PORT = 1 };

struct page {
  uint64_t version;
  uint64_t changes[CLIENTS];
  uint64_t text[12];
  uint64_t version_again; // same as version in every page that was written whole
};

// What the servers offer. No CPU touches it: the clients do all the work.
static page shared_page;
static uint64_t shared_lock; // 0: free, 1: taken

// What a client reads into and writes from.
struct client_memory {
  page copy;
  uint64_t lock_was;
  uint64_t unlocked;
};
static client_memory local;

static void fill_request(ibv_send_wr &wr, ibv_sge &sge, ibv_wr_opcode opcode, void *buffer, size_t size,
                         const ibv_mr *mr) {
  memset(&sge, 0, sizeof sge);
  sge.addr = reinterpret_cast<uintptr_t>(buffer);
  sge.length = static_cast<uint32_t>(size);
  sge.lkey = mr->lkey;
  memset(&wr, 0, sizeof wr);
  wr.opcode = opcode;
  wr.send_flags = IBV_SEND_SIGNALED;
  wr.sg_list = &sge;
  wr.num_sge = 1;
}

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

static void try_lock(const connection &lock, const ibv_mr *mr) {
  ibv_sge sge;
  ibv_send_wr wr;
  fill_request(wr, sge, IBV_WR_ATOMIC_CMP_AND_SWP, &local.lock_was, sizeof local.lock_was, mr);
  wr.wr.atomic.remote_addr = lock.remote_addr;
  wr.wr.atomic.rkey = lock.rkey;
  wr.wr.atomic.compare_add = 0;
  wr.wr.atomic.swap = 1;
  post(lock, wr);
  poll_one(lock.cq);
}

static void take_lock(const connection &lock, const ibv_mr *mr) {
  do
    try_lock(lock, mr);
  while (local.lock_was != 0);
}

static void release_lock(const connection &lock, const ibv_mr *mr) {
  local.unlocked = 0;
  ibv_sge sge;
  ibv_send_wr wr;
  fill_request(wr, sge, IBV_WR_RDMA_WRITE, &local.unlocked, sizeof local.unlocked, mr);
  wr.wr.rdma.remote_addr = lock.remote_addr;
  wr.wr.rdma.rkey = lock.rkey;
  post(lock, wr);
  poll_one(lock.cq);
}

static void read_page(const connection &pages, const ibv_mr *mr) {
  ibv_sge sge;
  ibv_send_wr wr;
  fill_request(wr, sge, IBV_WR_RDMA_READ, &local.copy, sizeof local.copy, mr);
  wr.wr.rdma.remote_addr = pages.remote_addr;
  wr.wr.rdma.rkey = pages.rkey;
  post(pages, wr);
  poll_one(pages.cq);
}

static void write_page(const connection &pages, const ibv_mr *mr) {
  ibv_sge sge;
  ibv_send_wr wr;
  fill_request(wr, sge, IBV_WR_RDMA_WRITE, &local.copy, sizeof local.copy, mr);
  wr.wr.rdma.remote_addr = pages.remote_addr;
  wr.wr.rdma.rkey = pages.rkey;
  post(pages, wr);
  poll_one(pages.cq);
}

static void change_page(page &copy, int id, uint64_t changes) {
  copy.version++;
  copy.changes[id] = changes;
  copy.text[copy.version % 12] = copy.version;
  copy.version_again = copy.version;
}

int run_client(int port, int id) {
  device dev;
  open_device(&dev);
  ibv_mr *mr = ibv_reg_mr(dev.pd, &local, sizeof local, OWN_ACCESS);
  if (!mr)
    die("ibv_reg_mr");
  connection a, b;
  connect_to(&a, &dev, port + PAGE_SERVER_PORT, nullptr);
  connect_to(&b, &dev, port + LOCK_SERVER_PORT, nullptr);
  await_peer(&b);

  int stale = 0;
  for (uint64_t turn = 0; turn < TURNS; turn++) {
    take_lock(b, mr);
    read_page(a, mr);
    if (local.copy.changes[id] != turn || local.copy.version != local.copy.version_again)
      stale++;
    change_page(local.copy, id, turn + 1);
    write_page(a, mr);
    release_lock(b, mr);
  }

  if (stale)
    printf("BAD: client %d: %d of %d times the page did not hold this client's last change\n", id, stale,
           TURNS);
  else
    printf("ok: client %d: %d changes, none lost\n", id, TURNS);
  tell_peer(&a);
  tell_peer(&b);
  await_peer(&a);
  await_peer(&b);
  close_connection(&a);
  close_connection(&b);
  ibv_dereg_mr(mr);
  close_device(&dev);
  return stale ? EXIT_BAD_OUTCOME : 0;
}

// Offers memory to the clients and stays until all of them are done.
static void serve(int port, void *memory, size_t size) {
  device dev;
  open_device(&dev);
  ibv_mr *mr = ibv_reg_mr(dev.pd, memory, size, REMOTE_ACCESS);
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
}

int run_page_server(int port) {
  serve(port + PAGE_SERVER_PORT, &shared_page, sizeof shared_page);
  return 0;
}

int run_lock_server(int port) {
  serve(port + LOCK_SERVER_PORT, &shared_lock, sizeof shared_lock);
  return 0;
}

static const role roles[] = {{"page-server", 0}, {"lock-server", 0}, {"client", 0}, {"client", 1}};

int main(int argc, char **argv) {
  if (argc == 2 && !strcmp(argv[1], "--all"))
    return launch(roles, 2 + CLIENTS);
  if (argc == 4 && !strcmp(argv[1], "page-server"))
    return run_page_server(atoi(argv[2]));
  if (argc == 4 && !strcmp(argv[1], "lock-server"))
    return run_lock_server(atoi(argv[2]));
  if (argc == 4 && !strcmp(argv[1], "client"))
    return run_client(atoi(argv[2]), atoi(argv[3]));
  fprintf(stderr, "usage: %s --all | page-server PORT 0 | lock-server PORT 0 | client PORT ID\n", argv[0]);
  return 2;
}
