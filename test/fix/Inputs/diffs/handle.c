/* Who sends does not know what a channel has in it, but knows the queue pair that it was given. */
#include "handle.h"

#include <string.h>

int greet(struct ibv_qp *qp, const struct ibv_mr *mr, uint64_t remote, uint32_t rkey) {
  struct channel *c = open_channel(qp, mr, remote, rkey);
  strcpy(channel_text(c), "good morning");
  if (channel_send(c))
    return -1;
  strcpy(channel_text(c), "good night");
  return channel_send(c);
}
