#include <infiniband/verbs.h>
#include <stdlib.h>
#include <unistd.h>
struct info {
  uint32_t number;
  uint64_t address;
};
struct link {
  struct ibv_qp *qp;
  struct ibv_cq *cq;
  struct info far;
};
void open_link(struct link *l);
static inline void exchange(struct link *l, int socket, void *memory) {
  struct info mine = {l->qp->qp_num, (uintptr_t)memory};
  if (write(socket, &mine, sizeof mine) != sizeof mine ||
      read(socket, &l->far, sizeof l->far) != sizeof l->far)
    exit(1);
}
