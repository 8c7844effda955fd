// Set-up code calls what is in the sources.
#include "grid.h"
uint64_t page;
void run(struct link *l, int n) {
  page = n;
  put(l, &page, 8, 0);
}
static void prepare(void) {}
int main(int argc, char **argv) {
  prepare();
  run((struct link *)argv[0], argc);
}
