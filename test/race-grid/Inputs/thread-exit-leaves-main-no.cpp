// pthread_exit ends main's thread, and the page is written when it has been sent.
#include "grid.h"
#include <pthread.h>
static struct link here;
static char page[64];
struct wiper {
  ~wiper() { page[0] = 0; }
};
static void leave() { pthread_exit(0); }
int main() {
  wiper w;
  put(&here, page, 64, 0);
  take(here.cq);
  leave();
}
