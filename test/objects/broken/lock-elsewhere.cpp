// A test-and-set lock on another node than its data, released when the data's puts have completed (what
// Sherman's unlock comes to): the release may be there before the data is.
#include "verbs.h"

word lock, left_was, left_value = 1, left_free;       // left
word right_was, right_value, right_check, right_free; // right
word value, check;                                    // at home

static void take(const way &host, word &was, word at) {
  do {
    compareSwap(host, was, at, 0, 1);
    complete(host);
  } while (was != 0);
}

void run_left(peers *to) {
  take(to->self, left_was, to->lock);
  put(to->home, to->value, left_value, IBV_SEND_INLINE);
  put(to->home, to->check, left_value, IBV_SEND_INLINE | IBV_SEND_SIGNALED);
  complete(to->home);
  put(to->self, to->lock, left_free, IBV_SEND_INLINE);
}

void run_right(peers *to) {
  take(to->other, right_was, to->lock);
  get(to->home, right_value, to->value, IBV_SEND_SIGNALED);
  complete(to->home);
  get(to->home, right_check, to->check, IBV_SEND_SIGNALED);
  complete(to->home);
  put(to->other, to->lock, right_free, IBV_SEND_INLINE);
}
