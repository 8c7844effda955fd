// A message says whether completions are waited for: recvmsg fills what its list names.
#include "grid.h"
#include <sys/socket.h>
static char page[64];
void run(struct link *l, int fd) {
  int patience = 1;
  struct iovec word = {&patience, sizeof patience};
  struct msghdr message = {.msg_iov = &word, .msg_iovlen = 1};
  if (recvmsg(fd, &message, 0) < 0)
    abort();
  put(l, page, 64, 0);
  if (patience)
    take(l->cq);
  page[0] = 1;
}
