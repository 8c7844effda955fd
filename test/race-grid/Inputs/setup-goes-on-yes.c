// What set-up code finds in a table runs the entry; main writes the page behind it.
#include "grid.h"
static uint64_t page;
void run(struct link *l, int n) {
  page = n;
  put(l, &page, 8, 0);
}
static void first(struct link *l) { run(l, 1); }
static void last(struct link *l) { (void)l; }
typedef void step(struct link *);
int main(int argc, char **argv) {
  step *const steps[] = {first, last};
  steps[argc % 2]((struct link *)argv[0]);
  page = 9;
}
