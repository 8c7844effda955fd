// A number in the byte order of the network is computed from what was delivered: htonl tells nobody anything.
#include "grid.h"
#include <arpa/inet.h>
uint32_t page[4], seen;
void run(struct link *l) {
  fetch(l, page, sizeof page, 0);
  take(l->cq);
  seen = ntohl(page[0]) + htons((uint16_t)page[1]);
}
