// A handler of signals that a virtual method of set-up code installs writes the page while it is sent.
#include "grid.h"
#include <signal.h>
static uint64_t page;
void run(struct link *l, int n) {
  page = n;
  put(l, &page, 8, 0);
}
static void handler(int n) { page = n; }
struct service {
  virtual void start() = 0;
};
struct watcher : service {
  void start() override { signal(SIGUSR1, handler); }
};
struct sleeper : service {
  void start() override {}
};
int main(int argc, char **argv) {
  watcher one;
  sleeper two;
  service *const services[] = {&one, &two};
  services[argc % 2]->start();
  run((struct link *)argv[0], argc);
}
