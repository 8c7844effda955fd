// The caller of the entry changes the buffer when the entry has returned.
#include "grid.h"
static char buf[64];
static char other[64];
static struct link mine;
void run(struct link *l) { put(l, buf, 64, 0); }
int main(void) {
  run(&mine);
  buf[0] = 1;
}
