// A node lock released without the remote fence: the holder's gets may read when the lock is the next one's
// already.
#include "verbs.h"

word left_ticket, left_served, left_next, left_value = 1;              // left
word right_ticket, right_served, right_next, right_value, right_check; // right
word dispenser, served, value, check;                                  // at home

static void take(peers *to, word &ticket, word &now, word &next) {
  fetchAdd(to->home, ticket, to->dispenser, 1);
  complete(to->home);
  do {
    get(to->home, now, to->served, IBV_SEND_SIGNALED);
    complete(to->home);
  } while (now != ticket);
  next = ticket + 1;
}

void run_left(peers *to) {
  take(to, left_ticket, left_served, left_next);
  put(to->home, to->value, left_value, IBV_SEND_INLINE);
  put(to->home, to->check, left_value, IBV_SEND_INLINE);
  put(to->home, to->served, left_next, IBV_SEND_INLINE);
}

void run_right(peers *to) {
  take(to, right_ticket, right_served, right_next);
  get(to->home, right_value, to->value);
  get(to->home, right_check, to->check);
  put(to->home, to->served, right_next, IBV_SEND_INLINE);
}
