// That a file is there says that the WRITE has arrived.
#define OWN_SERVER
#include "grid.h"
#include <sys/stat.h>
#include <unistd.h>
uint64_t inbox[64];
static uint64_t data = 7, got, pushed;
void serve(void) {
  while (access("/shared/go", F_OK))
    sleep(1);
  got = inbox[0];
}
void run(struct link *l) {
  put(l, &data, 8, 0);
  take(l->cq);
  if (mkdir("/shared/go", 0700))
    abort();
}
