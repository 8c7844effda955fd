// A library is given by set-up code what nobody sends.
#include "grid.h"
#include <dlfcn.h>
static uint64_t page;
static uint64_t mark;
void run(struct link *l, int n) {
  page = n;
  put(l, &page, 8, 0);
}
typedef void watch(uint64_t *);
int main(int argc, char **argv) {
  watch *begin = (watch *)dlsym(NULL, argv[1]);
  begin(&mark);
  run((struct link *)argv[0], argc);
}
