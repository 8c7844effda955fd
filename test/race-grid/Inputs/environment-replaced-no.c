// The words of an environment that the program has made are found by getenv.
#include "grid.h"
#include <unistd.h>
extern char **environ;
static char word[64] = "K=v";
static char *words[] = {word, 0};
void run(struct link *l) {
  environ = words;
  put(l, word, 64, 0);
  take(l->cq);
  char *p = getenv("K");
  if (p)
    *p = 'x';
}
