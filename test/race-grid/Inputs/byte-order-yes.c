// A number in the byte order of the network is computed from what may not have been delivered.
#include "grid.h"
#include <arpa/inet.h>
uint32_t page[4], seen;
void run(struct link *l) {
  fetch(l, page, sizeof page, 0);
  seen = ntohl(page[0]) + htons((uint16_t)page[1]);
  take(l->cq);
}
