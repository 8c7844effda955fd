// A loop that is entered in several places changes the source behind the poll.
#include "grid.h"
static char x[8][64];
void run(struct link *l, int n) {
  int i = 0;
  put(l, x[5], 64, 0);
  take(l->cq);
  switch (n & 3) {
    do {
    case 0:
      x[i++][0] = 1;
    case 3:
      x[i++][0] = 1;
    case 2:
      x[i++][0] = 1;
    case 1:
      x[i++][0] = 1;
    } while (i < 4);
  }
}
