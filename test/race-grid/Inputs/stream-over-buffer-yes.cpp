// A stream writes into the buffer that the WRITE reads.
#include "grid.h"
#include <ostream>
#include <streambuf>
namespace {
struct Over : std::streambuf {
  Over(char *begin, size_t size) { setp(begin, begin + size); }
};
char buf[64];
} // namespace
extern "C" void run(struct link *l) {
  Over over(buf, sizeof buf);
  std::ostream text(&over);
  put(l, buf, 64, 0);
  text << "late";
  take(l->cq);
}
