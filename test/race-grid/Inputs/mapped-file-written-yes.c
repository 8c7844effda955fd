// What is written to a file appears in the memory that maps it.
#include "grid.h"
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>
void run(struct link *l) {
  int fd = open("log", O_RDWR | O_CREAT, 0600);
  if (fd < 0 || ftruncate(fd, 4096))
    abort();
  char *m = (char *)mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (m == MAP_FAILED)
    abort();
  put(l, m, 64, 0);
  if (write(fd, "record", 6) != 6)
    abort();
  take(l->cq);
}
