// A stream writes into the program's own stream buffer, which writes the page while it is sent.
#include "grid.h"
#include <ostream>
static char page[64];
static long written;
struct sink : std::streambuf {
  int overflow(int c) override {
    page[0] = char(c);
    return c;
  }
};
extern "C" void run(struct link *l) {
  put(l, page, 64, 0);
  sink buffer;
  std::ostream(&buffer) << "text";
  take(l->cq);
}
