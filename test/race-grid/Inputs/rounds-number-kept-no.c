// By one or by two, the number that is waited for goes on in each round.
#define OWN_SERVER
#include "grid.h"
static volatile int back;
volatile int box;
static int question, answer;
void run(struct link *l, int n) {
  for (int i = 1, k = 0; k < n; k++) {
    question = i;
    put(l, &question, sizeof question, 0);
    take(l->cq);
    while (back != i)
      ;
    if (k & 4)
      i += 2;
    else
      i++;
  }
}
void serve(struct link *l, int n) {
  for (int i = 1, k = 0; k < n; k++) {
    while (box != i)
      ;
    answer = i;
    put(l, &answer, sizeof answer, 0);
    take(l->cq);
    if (k & 4)
      i += 2;
    else
      i++;
  }
}
