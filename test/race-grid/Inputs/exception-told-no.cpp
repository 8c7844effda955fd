// An exception copies a string that a READ has been delivered into.
#include "grid.h"
#include <stdexcept>
#include <string>
extern "C" void run(struct link *l) {
  std::string text(64, ' ');
  fetch(l, text.data(), 64, 0);
  take(l->cq);
  std::runtime_error told(text);
}
