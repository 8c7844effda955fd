// A counter raised by remote fetch-and-adds and changed by a compare-and-swap of its node's processor: the
// two are not atomic towards each other.
#include "verbs.h"

word was;  // left
word head; // right

void run_left(peers *to) {
  fetchAdd(to->other, was, to->head, 1);
  complete(to->other);
}

void run_right(peers *) {
  word Expected = 0;
  __atomic_compare_exchange_n(&head, &Expected, 5, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}
