// The next call of readdir may change the name that the last one returned.
#include "grid.h"
#include <dirent.h>
void run(struct link *l) {
  DIR *d = opendir("/");
  put(l, readdir(d)->d_name, 4, 0);
  readdir(d);
  take(l->cq);
}
