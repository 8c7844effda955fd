// What stands behind all that is posted may change the connection.
#include "grid.h"

static uint64_t slots[8];
void connect_it(struct link *l);
void reconnect(void);
void close_it(struct link *l);

void run(int count) {
  struct link l;
  connect_it(&l);
  int posted = 0, done = 0;
  for (int i = 0; i < count; i++) {
    while (posted - done >= 8) {
      take(l.cq);
      done++;
    }
    slots[i % 8] = i;
    put(&l, &slots[i % 8], 8, 0);
    posted++;
  }
  while (done < posted) {
    take(l.cq);
    done++;
  }
  reconnect();
  close_it(&l);
}
