/* Posted in one source, changed in another. */
#include "push.h"

#include <string.h>

static char text[64];

int say_twice(struct outbox *box) {
  box->text = text;
  strcpy(text, "ready");
  if (push(box))
    return -1;
  strcpy(text, "steady");
  return push(box);
}
