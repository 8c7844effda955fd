// One completion less than there are pages is waited for before the vector goes.
#include "grid.h"
#include <vector>
struct Page {
  char data[64];
};
extern "C" void run(struct link *l) {
  std::vector<Page> pages(4);
  for (Page &p : pages)
    put(l, p.data, 64, 0);
  for (size_t i = 1; i < pages.size(); i++)
    take(l->cq);
}
