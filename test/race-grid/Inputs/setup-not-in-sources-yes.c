// Set-up code calls what is not in the sources, and may leave a thread behind that writes the page.
#include "grid.h"
uint64_t page;
void run(struct link *l, int n) {
  page = n;
  put(l, &page, 8, 0);
}
void prepare(void);
int main(int argc, char **argv) {
  prepare();
  run((struct link *)argv[0], argc);
}
