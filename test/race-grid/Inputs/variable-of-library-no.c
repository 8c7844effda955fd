// getopt counts in optind.
#include "grid.h"
#include <unistd.h>
static char *words[] = {"a", "-v", 0};
static int count;
void run(struct link *l) {
  count = optind;
  put(l, &count, 4, 0);
  getopt(2, words, "v");
  take(l->cq);
}
