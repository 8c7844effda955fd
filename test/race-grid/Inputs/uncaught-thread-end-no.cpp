// The thread ends when the array has been sent.
#include "grid.h"
#include <pthread.h>
#include <string>
static struct link here;
void run(int n) {
  std::string name(n, 'x');
  char hello[24] = {1};
  put(&here, hello, sizeof hello, 0);
  take(here.cq);
  if (n > 3)
    pthread_exit(nullptr);
}
int main(int n, char **) { run(n); }
