// One file is mapped twice.
#include "grid.h"
#include <fcntl.h>
#include <sys/mman.h>
void run(struct link *l) {
  int file = open("/dev/shm/ring", O_RDWR);
  char *a = (char *)mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  char *b = (char *)mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE, file, 0);
  put(l, a, 64, 0);
  b[0] = 1;
  take(l->cq);
}
