// Rounds are numbered from one on again and again: after a single one, the next has the same number.
#define OWN_SERVER
#include "grid.h"
static volatile int back;
volatile int box;
static int question, answer;
void run(struct link *l, int n) {
  for (int k = 0; k < n; k++)
    for (int i = 1; i <= n; i++) {
      question = i;
      put(l, &question, sizeof question, 0);
      take(l->cq);
      while (back != i)
        ;
    }
}
void serve(struct link *l, int n) {
  for (int k = 0; k < n; k++)
    for (int i = 1; i <= n; i++) {
      while (box != i)
        ;
      answer = i;
      put(l, &answer, sizeof answer, 0);
      take(l->cq);
    }
}
