// The options of a table say whether completions are waited for.
#include "grid.h"
#include <getopt.h>
static char page[64];
void run(struct link *l, int argc, char **argv) {
  int patience = 1, level = 0;
  (void)level;
  struct option table[] = {{"quick", 0, &patience, 0}, {0, 0, 0, 0}};
  while (getopt_long(argc, argv, "", table, 0) != -1)
    ;
  put(l, page, 64, 0);
  if (patience)
    take(l->cq);
  page[0] = 1;
}
