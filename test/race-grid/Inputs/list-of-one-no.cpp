// Twin: it is written behind the completion.
#include "grid.h"
struct message {
  message *Next;
  char Text[56];
};
extern "C" void run(struct link *l, message *m) {
  put(l, m->Text, 56, 0);
  take(l->cq);
  m->Next->Text[0] = 1;
}
