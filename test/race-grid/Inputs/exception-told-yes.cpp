// An exception copies a string that a READ is still being delivered into.
#include "grid.h"
#include <stdexcept>
#include <string>
extern "C" void run(struct link *l) {
  std::string text(64, ' ');
  fetch(l, text.data(), 64, 0);
  std::runtime_error told(text);
  take(l->cq);
}
