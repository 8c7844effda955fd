// An entry is given two pointers, which nobody sees to be of different buffers.
#include "grid.h"
struct message {
  uint32_t length;
  char text[60];
};
void run(struct link *l, struct message *out, char *in) {
  put(l, out, 64, 0);
  in[0] = 1;
  take(l->cq);
}
