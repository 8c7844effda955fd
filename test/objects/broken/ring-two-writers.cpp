// Two submit to one ring in turn, each through a queue pair of its own (to->other and to->again): the
// head of the second overtakes the message of the first.
#include "verbs.h"

word left_cell0, left_cell1, left_head; // left
word cell0, cell1, head, first;         // right

void run_left(peers *to) {
  left_cell0 = 5;
  put(to->other, to->cell0, left_cell0, IBV_SEND_INLINE);
  left_head = 1;
  put(to->other, to->head, left_head, IBV_SEND_INLINE);
  left_cell1 = 7;
  put(to->again, to->cell1, left_cell1, IBV_SEND_INLINE);
  left_head = 2;
  put(to->again, to->head, left_head, IBV_SEND_INLINE);
}

void run_right(peers *) {
  await(head, 2);
  first = load(cell0);
}
