// It takes both before it does anything.
#include "one-queue.h"
static char late;
static void look(struct end *e) {
  take_kinds(e, 1, 1);
  late = 1;
}
#include "mixed-sentinel.h"
