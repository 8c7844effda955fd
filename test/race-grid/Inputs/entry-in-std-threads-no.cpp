// One thread runs it.
#include "grid.h"
#include <thread>
static uint64_t page;
extern "C" void run(struct link *l, int fd) {
  page = fd;
  put(l, &page, 8, 0);
}
int main(int argc, char **argv) {
  struct link *l = (struct link *)argv[0];
  std::thread one([=] { run(l, 1); });
  one.join();
}
