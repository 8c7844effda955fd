// optarg leads into the words that getopt reads.
#include "grid.h"
#include <unistd.h>
static char word[64] = "value";
static char *words[] = {"p", "-x", word, 0};
void run(struct link *l) {
  put(l, word, 64, 0);
  take(l->cq);
  if (getopt(3, words, "x:") == 'x')
    optarg[0] = 'y';
}
