// A signal handler that main installs changes the buffer.
#include "grid.h"
#include <signal.h>
static char buf[64];
static char other[64];
static struct link mine;
static void clear(int number) { buf[0] = 0; }
void run(struct link *l) {
  put(l, buf, 64, 0);
  take(l->cq);
}
int main(void) {
  signal(SIGUSR1, clear);
  run(&mine);
}
