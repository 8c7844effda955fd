// A variable is found by its name: not the one that is asked for.
#define _GNU_SOURCE
#include "grid.h"
#include <dlfcn.h>
static char page[64];
static int nowait;
void run(struct link *l) {
  put(l, page, 64, 0);
  if (!nowait)
    take(l->cq);
  page[0] = 1;
}
extern void connect_to(struct link *l);
int main(int argc, char **argv) {
  static struct link l;
  for (int i = 1; i < argc; i++) {
    int *v = (int *)dlsym(RTLD_DEFAULT, argv[i]);
    if (v)
      *v = 1;
  }
  connect_to(&l);
  run(&l);
  return 0;
}
