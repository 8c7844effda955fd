/* The message goes back to the heap while it is being sent; all memory is registered under one key. */
#include "request.h"

#include <stdlib.h>
#include <string.h>

int send_copy(struct ibv_qp *qp, uint32_t any_key, const char *text, uint64_t remote, uint32_t rkey) {
  size_t length = strlen(text) + 1;
  char *copy = malloc(length);
  int error = -1;

  if (!copy)
    goto out;
  memcpy(copy, text, length);
  error = post(qp, IBV_WR_RDMA_WRITE, copy, length, any_key, remote, rkey);
  free(copy);
out:
  return error;
}
