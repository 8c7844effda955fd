// A weak lock that looks at its ticket before the fetch-and-add has delivered it: two threads get in.
#include "verbs.h"

word left_on_left, right_on_left, left_ticket;    // left: how far each has given the lock back
word left_on_right, right_on_right, right_ticket; // right
word dispenser;                                   // at home

static void use(peers *to, word &ticket, word &mine, const word &others) {
  fetchAdd(to->home, ticket, to->dispenser, 1);
  await(others, ticket);
  store(mine, ticket + 1);
  put(to->other, to->counter, mine, IBV_SEND_INLINE);
  complete(to->home);
}

void run_left(peers *to) { use(to, left_ticket, left_on_left, right_on_left); }
void run_right(peers *to) { use(to, right_ticket, right_on_right, left_on_right); }
