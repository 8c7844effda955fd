// main runs the entry through a table, once.
#include "grid.h"
static uint64_t page;
void run(struct link *l, int fd) {
  page = fd;
  put(l, &page, 8, 0);
}
typedef void role(struct link *, int);
static void play(struct link *l, role *const *roles, int n) { roles[n > 1](l, n); }
int main(int argc, char **argv) {
  struct link *l = (struct link *)argv[0];
  role *roles[] = {run, run};
  play(l, roles, argc);
}
