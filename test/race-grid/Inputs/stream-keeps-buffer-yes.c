// What is printed goes into the bytes that say whether a request asks for a completion.
#include "grid.h"
#include <stdio.h>
static uint64_t value, other;
static union {
  int flags;
  char text[1024];
} room;
void run(struct link *l) {
  setvbuf(stdout, room.text, _IOFBF, sizeof room.text);
  room.flags = 0;
  printf("\2%c%c", 0, 0);
  submit(l, IBV_WR_RDMA_WRITE, &other, 8, 0, room.flags);
  put(l, &value, 8, 0);
  take(l->cq);
  value = 2;
}
