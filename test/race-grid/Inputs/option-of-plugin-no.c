// Code that is loaded later knows no option by name.
#include "grid.h"
#include <dlfcn.h>
static char buf[64];
static int skip = 0;
void run(struct link *l);
int main(int argc, char **argv) {
  if (argc > 1)
    dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL);
  struct link l = {0};
  run(&l);
  return 0;
}
void run(struct link *l) {
  put(l, buf, 64, 0);
  if (!skip)
    take(l->cq);
  buf[0] = 1;
}
