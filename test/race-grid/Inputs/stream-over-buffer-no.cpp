// A stream writes into the buffer that the WRITE reads.
// REMARK: is not in these sources; it is taken to read and write what it is given
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
  text << "in time";
  put(l, buf, 64, 0);
  take(l->cq);
}
