// A constructor does something else.
#include "grid.h"
static uint64_t page;
void run(struct link *l, int fd) {
  page = fd;
  put(l, &page, 8, 0);
}
static struct link *mine;
__attribute__((constructor)) static void before(void) { mine = 0; }
int main(int argc, char **argv) {
  mine = (struct link *)argv[0];
  run(mine, 1);
}
