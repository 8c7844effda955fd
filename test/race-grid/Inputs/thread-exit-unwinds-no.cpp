// pthread_exit runs the destructor of a local object, when the page has been sent.
#include "grid.h"
#include <pthread.h>
static char page[64];
struct wiper {
  ~wiper() { page[0] = 0; }
};
static void leave() { pthread_exit(0); }
extern "C" void run(struct link *l) {
  wiper w;
  put(l, page, 64, 0);
  take(l->cq);
  leave();
}
