// A driver fills the buffer that the request's structure leads to.
#include "grid.h"
#include <net/if.h>
#include <sys/ioctl.h>
static char page[256];
static char names[256];
void run(struct link *l, int fd) {
  struct ifconf asked = {.ifc_len = 256, .ifc_buf = page};
  put(l, page, 256, 0);
  ioctl(fd, SIOCGIFCONF, &asked);
  take(l->cq);
}
