// What the frames share: a call of the lists beside this file stands in one of them as CALL.
//
// A request reads or writes UNDER_WAY while the call is made. That is buf, which the call is given, or with
// -DBESIDE memory that it is not given.
#pragma once
#define OWN_SERVER
#include "test/race-grid/Inputs/grid.h"
#include <rdma/rdma_cma.h>
#include <rdma/rdma_verbs.h>
#include <stdarg.h>

#define BLOCK __attribute__((aligned(64)))
static BLOCK char buf[4096], other[4096], beside[4096];
static char text[64] = "1 2 3";
volatile uint64_t inbox[512];
#define AS(...) ((__VA_ARGS__ *)(void *)buf)
#define WITH(...) ((__VA_ARGS__ *)(void *)other)

/// A thread's handle that nobody has set.
#define NOBODY(TYPE, ...)                                                                                    \
  ({                                                                                                         \
    volatile TYPE nobody = {0};                                                                              \
    __VA_ARGS__;                                                                                             \
  })

#ifdef BESIDE
#define UNDER_WAY beside
#else
#define UNDER_WAY buf
#endif

#ifdef __cplusplus
#define ENTRY extern "C" void
#else
#define ENTRY void
#endif
ENTRY run(struct link *l, struct rdma_cm_id *id, int fd, size_t n);
ENTRY second(int fd, size_t n);
ENTRY serve(int fd, size_t n);

static va_list none;
static volatile long looked;
static inline void *idle(void *p) { return p; }
static inline int rest(void *p) { return p != 0; }
#ifdef STATIC_LOCAL
static int once(void) {
  static int made = std::stoi(text);
  return made;
}
#endif

// Newer than the headers of Debian 12.
#ifdef __cplusplus
extern "C" {
#endif
# 1 "/usr/include/infiniband/verbs.h"
void ibv_wr_flush(struct ibv_qp_ex *, uint32_t, uint64_t, size_t, uint8_t, uint8_t);
# 1 "/usr/include/rdma/rdma_cma.h"
int rdma_resolve_addrinfo(struct rdma_cm_id *, const char *, const char *, const struct rdma_addrinfo *);
# 1 "/usr/include/x86_64-linux-gnu/bits/unistd.h"
ssize_t __read_chk(int, void *, size_t, size_t);
ssize_t __recv_chk(int, void *, size_t, size_t, int);
# 70 "frame.h"
#ifdef __cplusplus
}
#endif
