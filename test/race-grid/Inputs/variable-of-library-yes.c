// getopt counts in optind.
#include "grid.h"
#include <unistd.h>
static char *words[] = {"a", "-v", 0};
void run(struct link *l) {
  put(l, &optind, 4, 0);
  getopt(2, words, "v");
  take(l->cq);
}
