// Twin: another buffer. What drivers do behind what they are given is not known.
// REMARK: memory of unknown origin
#include "grid.h"
#include <net/if.h>
#include <sys/ioctl.h>
static char page[256];
static char names[256];
void run(struct link *l, int fd) {
  struct ifconf asked = {.ifc_len = 256, .ifc_buf = names};
  put(l, page, 256, 0);
  ioctl(fd, SIOCGIFCONF, &asked);
  take(l->cq);
}
