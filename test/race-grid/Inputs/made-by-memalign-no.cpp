// Another page than the one that is sent changes before the poll.
#include "grid.h"
struct page {
  void *data;
  page() {
    if (posix_memalign(&data, 64, 64))
      abort();
  }
};
extern "C" void run(struct link *l) {
  page *mine = new page, *other = new page;
  put(l, mine->data, 64, 0);
  *static_cast<char *>(other->data) = 1;
  take(l->cq);
  *static_cast<char *>(other->data) = 1;
}
