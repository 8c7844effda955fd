// Twin: behind the completion.
#include "grid.h"
struct message {
  struct message *next;
  char text[56];
};
void touch(void);
void run(struct link *l, struct message *m) {
  put(l, m->text, 56, 0);
  take(l->cq);
  touch();
}
