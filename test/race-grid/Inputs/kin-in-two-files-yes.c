// What is written in another file, which describes messages by itself, may be the message that is sent.
#include "grid.h"
struct message {
  struct message *next;
  char text[56];
};
void touch(void);
void run(struct link *l, struct message *m) {
  put(l, m->text, 56, 0);
  touch();
  take(l->cq);
}
