// The buffer is found by its distance from the frame.
#include "grid.h"
void run(struct link *l) {
  volatile char a[64];
  put(l, a, 64, 0);
  char *frame = (char *)__builtin_frame_address(0);
  long distance = (char *)a - frame;
  take(l->cq);
  frame[distance] = 1;
}
