// What a READ brings into a file that is mapped is read through the file.
#include "grid.h"
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>
static char copy[64];
void run(struct link *l) {
  int fd = open("log", O_RDWR | O_CREAT, 0600);
  if (fd < 0 || ftruncate(fd, 4096))
    abort();
  char *m = (char *)mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (m == MAP_FAILED)
    abort();
  fetch(l, m, 64, 0);
  take(l->cq);
  if (pread(fd, copy, 64, 0) != 64)
    abort();
}
