// Another queue pair takes the place of the one that is being used: its completions say nothing of the other's requests.
#include "grid.h"

static uint64_t slots[8];
void connect_it(struct link *l);
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
    if (i == 5) {
      connect_it(&l);
      done = posted;
    }
  }
  while (done < posted) {
    take(l.cq);
    done++;
  }
  close_it(&l);
}
