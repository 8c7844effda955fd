// Lines are printed one behind the other and sent, each with its own bytes; what is behind them changes.
// REMARK: which part of 'text' is used here
#include "grid.h"
#include <stdio.h>
static char text[512];
void run(struct link *l) {
  int at = 0;
  for (int i = 0; i < 10; i++) {
    int n = sprintf(text + at, "%08x;", i);
    put(l, text + at, 8, at);
    at += n;
  }
  for (int i = 0; i < 10; i++)
    take(l->cq);
  text[0] = 0;
}
