// A strong lock that fences behind its release: the next holder may be in before the data is there.
#include "verbs.h"

word left_on_left, right_on_left, left_ticket;    // left: how far each has given the lock back
word left_on_right, right_on_right, right_ticket; // right
word dispenser, value, check;                     // at home

word left_value = 1, landed, right_value, right_check;

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
  get(to->home, landed, to->check, IBV_SEND_SIGNALED); // the fence
  complete(to->home);
}

void run_right(peers *to) {
  take(to, right_ticket, left_on_right);
  get(to->home, right_value, to->value, IBV_SEND_SIGNALED);
  complete(to->home);
  get(to->home, right_check, to->check, IBV_SEND_SIGNALED);
  complete(to->home);
  release(to, right_on_right, right_ticket);
}
