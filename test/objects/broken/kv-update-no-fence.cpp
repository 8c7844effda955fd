// A store's update under a weak lock with no fence before the release: the next holder's put overtakes it,
// and the old value stays.
#include "verbs.h"

word left_on_left, right_on_left, left_ticket;    // left: how far each has given the lock back
word left_on_right, right_on_right, right_ticket; // right
word dispenser, value, check;                     // at home

word left_value = 1, right_value = 2;

static void take(peers *to, word &ticket, const word &others) {
  fetchAdd(to->home, ticket, to->dispenser, 1);
  complete(to->home);
  await(others, ticket);
}

static void release(peers *to, word &mine, word ticket) {
  store(mine, ticket + 1);
  put(to->other, to->counter, mine, IBV_SEND_INLINE);
}

void run_left(peers *to) {
  take(to, left_ticket, right_on_left);
  put(to->home, to->value, left_value, IBV_SEND_INLINE);
  put(to->home, to->check, left_value, IBV_SEND_INLINE);
  release(to, left_on_left, left_ticket);
}

void run_right(peers *to) {
  take(to, right_ticket, left_on_right);
  put(to->home, to->value, right_value, IBV_SEND_INLINE);
  put(to->home, to->check, right_value, IBV_SEND_INLINE);
  release(to, right_on_right, right_ticket);
}
