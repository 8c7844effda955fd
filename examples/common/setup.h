// What every example needs before its first work request, and says nothing about RDMA order: open a device,
// create a reliable connected queue pair with a completion queue of its own, swap addresses over TCP on this
// machine, take the queue pair to ready-to-send. Posting and polling stay in the examples.
//
// Every function ends the process with status 1 and one line on standard error when it fails.
#ifndef EXAMPLES_COMMON_SETUP_H
#define EXAMPLES_COMMON_SETUP_H

#include <infiniband/verbs.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Access to memory that only this process's NIC uses, and to memory that is offered to a peer. (Plain
// numbers: C++20 warns when ibv_reg_mr mixes two enumerations.)
#define OWN_ACCESS ((int)IBV_ACCESS_LOCAL_WRITE)
#define REMOTE_ACCESS                                                                                        \
  ((int)(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_WRITE |                         \
         IBV_ACCESS_REMOTE_ATOMIC))

// Exit status of a role that saw the outcome that must not be.
enum { EXIT_BAD_OUTCOME = 3 };

struct device {
  struct ibv_context *context;
  struct ibv_pd *pd;
};

// One queue pair and the memory that the peer offers through it (remote_addr and rkey are 0 when it offers
// none).
struct connection {
  struct ibv_qp *qp;
  struct ibv_cq *cq;
  uint64_t remote_addr;
  uint32_t rkey;
  int sock;
};

// Prints "what: reason" and exits with status 1.
void die(const char *what) __attribute__((noreturn));

// The device named by RDMA_DEVICE, or the first one.
void open_device(struct device *dev);
void close_device(struct device *dev);

// A listening TCP socket on 127.0.0.1:port.
int listen_on(int port);

// Waits for one peer, and connects a queue pair with it. offered: the memory the peer may use, or NULL.
void accept_from(struct connection *peer, const struct device *dev, int listener,
                 const struct ibv_mr *offered);

// The other side of accept_from; tries for a while when nobody listens on the port yet.
void connect_to(struct connection *peer, const struct device *dev, int port, const struct ibv_mr *offered);

// A queue pair connected to itself, for remote operations on the process's own memory.
void connect_to_self(struct connection *self, const struct device *dev, const struct ibv_mr *offered);

void close_connection(struct connection *peer);

// Barriers of the beginning and the end of a run, over the TCP connection: one byte sent, one byte awaited.
void tell_peer(const struct connection *peer);
void await_peer(const struct connection *peer);

// Sends size bytes to the peer over TCP and receives as many.
void swap_with_peer(const struct connection *peer, const void *mine, void *theirs, size_t size);

#ifdef __cplusplus
}
#endif

#endif
