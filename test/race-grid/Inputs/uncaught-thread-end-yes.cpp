// The end of the thread leaves the frame of the array that is being sent, whoever catches what.
#include "grid.h"
#include <pthread.h>
#include <string>
static struct link here;
void run(int n) {
  std::string name(n, 'x');
  char hello[24] = {1};
  put(&here, hello, sizeof hello, 0);
  if (n > 3)
    pthread_exit(nullptr);
  take(here.cq);
}
int main(int n, char **) { run(n); }
