// A step of set-up code makes a static object whose destructor writes the page while it is sent.
#include "grid.h"
static uint64_t page;
void run(struct link *l, int n) {
  page = n;
  put(l, &page, 8, 0);
  exit(0);
}
struct writer {
  ~writer() { page = 9; }
};
static void start(int n) {
  static writer last;
  (void)n;
}
static void rest(int n) { (void)n; }
typedef void step(int);
int main(int argc, char **argv) {
  step *const steps[] = {start, rest};
  steps[argc % 2](argc);
  run((struct link *)argv[0], argc);
}
