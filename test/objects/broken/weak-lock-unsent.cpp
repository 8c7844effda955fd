// A weak lock whose release counter is put neither inline nor awaited: the next release writes over what is
// being sent.
#include "verbs.h"

word left_on_left, right_on_left, left_ticket;    // left: how far each has given the lock back
word left_on_right, right_on_right, right_ticket; // right
word dispenser;                                   // at home

void run_left(peers *to) {
  for (word round = 0; round < 2; round++) {
    fetchAdd(to->home, left_ticket, to->dispenser, 1);
    complete(to->home);
    while (load(right_on_left) != left_ticket && load(left_on_left) != left_ticket)
      ;
    store(left_on_left, left_ticket + 1);
    put(to->other, to->counter, left_on_left);
  }
}

void run_right(peers *to) {
  fetchAdd(to->home, right_ticket, to->dispenser, 1);
  complete(to->home);
  await(left_on_right, right_ticket);
  store(right_on_right, right_ticket + 1);
  put(to->other, to->counter, right_on_right);
}
