// A library is given the page by set-up code, and may write to it at any time later.
#include "grid.h"
#include <dlfcn.h>
static uint64_t page;
void run(struct link *l, int n) {
  page = n;
  put(l, &page, 8, 0);
}
typedef void watch(uint64_t *);
int main(int argc, char **argv) {
  watch *begin = (watch *)dlsym(NULL, argv[1]);
  begin(&page);
  run((struct link *)argv[0], argc);
}
