// A lock guard that ends before the poll says that the page is in use, and no more.
#include "grid.h"
#include <mutex>
#include <thread>
class Outbox {
public:
  void send(struct link *l) {
    {
      std::lock_guard<std::mutex> Guard(Lock);
      put(l, Page, 64, 0);
      ++Sent;
    }
    take(l->cq);
  }
  void reuse() {
    std::lock_guard<std::mutex> Guard(Lock);
    if (Sent)
      ++Page[0];
  }

private:
  std::mutex Lock;
  int Sent = 0;
  char Page[64] = {};
};
static Outbox Box;
extern "C" void run(struct link *l) {
  std::thread Other([] { Box.reuse(); });
  Box.send(l);
  Other.join();
}
