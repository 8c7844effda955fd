// A ring whose head is put neither inline nor awaited: the first put of the head may take the second
// message's head along, ahead of that message.
#include "verbs.h"

word left_cell0, left_cell1, left_head; // left
word cell0, cell1, head, first, second; // right

void run_left(peers *to) {
  left_cell0 = 5;
  put(to->other, to->cell0, left_cell0);
  left_head = 1;
  put(to->other, to->head, left_head);
  left_cell1 = 7;
  put(to->other, to->cell1, left_cell1);
  left_head = 2;
  put(to->other, to->head, left_head);
}

void run_right(peers *) {
  await(head, 2);
  first = load(cell0);
  second = load(cell1);
}
