// getopt_long sets the flag of an option.
#include "grid.h"
#include <getopt.h>
static int buf[16];
static struct option options[] = {{"verbose", no_argument, buf, 1}, {0, 0, 0, 0}};
static char *words[] = {"a", "--verbose", 0};
void run(struct link *l) {
  put(l, buf, 64, 0);
  getopt_long(2, words, "", options, 0);
  take(l->cq);
}
