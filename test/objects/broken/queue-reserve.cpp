// A queue that reserves a cell and then fills it: whoever takes in between takes what was there before. In
// any order of these steps, none of which is out of place: the algorithm is wrong.
#include "verbs.h"

word left_ticket, left_value;             // left
word right_tail, right_cell, right_taken; // right
word head, tail, cell;                    // home

void run_left(peers *to) {
  fetchAdd(to->home, left_ticket, to->dispenser, 1);
  complete(to->home);
  left_value = 7;
  put(to->home, to->value, left_value);
}

void run_right(peers *to) {
  get(to->home, right_tail, to->dispenser, IBV_SEND_SIGNALED);
  complete(to->home);
  if (load(right_tail) == 0)
    return;
  get(to->home, right_cell, to->value, IBV_SEND_SIGNALED);
  complete(to->home);
  compareSwap(to->home, right_taken, to->served, 0, 1);
  complete(to->home);
}
