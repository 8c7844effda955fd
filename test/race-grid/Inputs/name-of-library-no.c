// The next call of readdir may change the name that the last one returned.
#include "grid.h"
#include <dirent.h>
static char name[256];
void run(struct link *l) {
  DIR *d = opendir("/");
  strcpy(name, readdir(d)->d_name);
  put(l, name, 4, 0);
  readdir(d);
  take(l->cq);
}
