// What set-up code finds in a table starts a thread, which writes the page while it is sent.
#include "grid.h"
#include <pthread.h>
static uint64_t page;
static volatile int sent;
void run(struct link *l, int n) {
  page = n;
  put(l, &page, 8, 0);
  sent = 1;
}
static void *writer(void *p) {
  while (!sent)
    ;
  page = 9;
  return p;
}
static void start(void) {
  pthread_t t;
  pthread_create(&t, 0, writer, 0);
}
static void rest(void) {}
typedef void step(void);
int main(int argc, char **argv) {
  step *const steps[] = {start, rest};
  steps[argc % 2]();
  run((struct link *)argv[0], argc);
}
