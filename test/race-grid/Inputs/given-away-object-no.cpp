// Code outside the sources is given an object whose method starts nothing.
#include "grid.h"
#include <thread>
static uint64_t page;
static volatile int sent;
void run(struct link *l, int n) {
  page = n;
  put(l, &page, 8, 0);
  sent = 1;
}
struct service {
  virtual void start() = 0;
  virtual ~service() {}
};
struct watcher : service {
  void start() override {}
};
service *make() { return new watcher; }
