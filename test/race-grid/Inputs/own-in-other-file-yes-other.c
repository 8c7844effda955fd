#include <stddef.h>
#include <stdint.h>
extern uint64_t page, other;
size_t strlen(const char *text) {
  page++;
  return text != 0;
}
