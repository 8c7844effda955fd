// A function that the program lists to run at the end changes the source while a request is under way.
#include "grid.h"
static char buf[64];
static void clear(void) { buf[0] = 0; }
__attribute__((section(".fini_array"), used)) static void (*const last)(void) = clear;
void run(struct link *l) {
  put(l, buf, 64, 0);
  if (l->rkey == 0)
    exit(0);
  take(l->cq);
}
