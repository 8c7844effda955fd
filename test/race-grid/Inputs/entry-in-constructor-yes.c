// A constructor has run the entry before main does.
#include "grid.h"
static uint64_t page;
void run(struct link *l, int fd) {
  page = fd;
  put(l, &page, 8, 0);
}
static struct link *mine;
__attribute__((constructor)) static void before(void) { run(mine, 3); }
int main(int argc, char **argv) {
  mine = (struct link *)argv[0];
  run(mine, 1);
}
