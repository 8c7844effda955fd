// A barrier without the fence (LOCO's first published bug): what a thread has put before may come to another
// node's memory after the counters have let the other thread through.
#include "verbs.h"

word left_on_left, right_on_left, data;     // left
word left_on_right, right_on_right, result; // right
word value;                                 // at home

void run_left(peers *to) {
  data = 1;
  put(to->home, to->value, data, IBV_SEND_SIGNALED);
  complete(to->home); // completed, perhaps not there
  store(left_on_left, 1);
  put(to->other, to->counter, left_on_left, IBV_SEND_INLINE);
  await(right_on_left, 1);
}

void run_right(peers *to) {
  store(right_on_right, 1);
  put(to->other, to->counter, right_on_right, IBV_SEND_INLINE);
  await(left_on_right, 1);
  get(to->home, result, to->value, IBV_SEND_SIGNALED);
  complete(to->home);
}
