// Twin: the second pointer is the only one to its buffer.
#include "grid.h"
struct message {
  uint32_t length;
  char text[60];
};
void run(struct link *l, struct message *out, char *restrict in) {
  put(l, out, 64, 0);
  in[0] = 1;
  take(l->cq);
}
