// Threads in a container run what the topology lists as one.
#include "grid.h"
#include <thread>
#include <vector>
static uint64_t page;
extern "C" void run(struct link *l, int fd) {
  page = fd;
  put(l, &page, 8, 0);
}
int main(int argc, char **argv) {
  struct link *l = (struct link *)argv[0];
  std::vector<std::thread> all;
  for (int i = 0; i < 4; i++)
    all.emplace_back([=] { run(l, i); });
  for (auto &t : all)
    t.join();
}
