// A completion for each page is waited for before the vector goes; the pages are walked by an iterator, the completions counted.
#include "grid.h"
#include <vector>
struct Page {
  char data[64];
};
extern "C" void run(struct link *l) {
  std::vector<Page> pages(4);
  for (Page &p : pages)
    put(l, p.data, 64, 0);
  for (size_t i = 0; i < pages.size(); i++)
    take(l->cq);
}
