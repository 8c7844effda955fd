// The barrier's counter is put to the own node too: the put of the first round brings the old count back in
// the second.
#include "verbs.h"

word left_on_left, right_on_left;   // left
word left_on_right, right_on_right; // right

static void enter(peers *to, word &mine, const word &others, word round) {
  store(mine, round);
  put(to->self, to->counter_back, mine);
  put(to->other, to->counter, mine, IBV_SEND_INLINE);
  while (load(others) < round)
    ;
}

void run_left(peers *to) {
  enter(to, left_on_left, right_on_left, 1);
  enter(to, left_on_left, right_on_left, 2);
}

void run_right(peers *to) {
  enter(to, right_on_right, left_on_right, 1);
  enter(to, right_on_right, left_on_right, 2);
}
