// The phase changes in every round, and in every other one it is waited for.
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
    if (k % 2 == 0)
      while (back != i)
        ;
    i ^= 1;
  }
}
void serve(struct link *l, int n) {
  for (int i = 1, k = 0; k < n; k++) {
    if (k % 2 == 0)
      while (box != i)
        ;
    answer = i;
    put(l, &answer, sizeof answer, 0);
    take(l->cq);
    i ^= 1;
  }
}
