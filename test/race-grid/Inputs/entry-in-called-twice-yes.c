// main runs what runs the entry twice, through a table: the second run changes what the first one sends.
#include "grid.h"
static uint64_t page;
void run(struct link *l, int fd) {
  page = fd;
  put(l, &page, 8, 0);
}
typedef void step(struct link *);
static void first(struct link *l) { run(l, 1); }
static void last(struct link *l) { (void)l; }
int main(int argc, char **argv) {
  step *const steps[] = {first, first, last};
  for (int i = 0; i < 3; i++)
    steps[(i + argc) % 3]((struct link *)argv[0]);
}
