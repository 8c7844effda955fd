// Set-up code sets other options by the bounds of their section.
#include "grid.h"
static char buf[64];
static int skip __attribute__((section("options"), used)) = 0;
static int other __attribute__((section("settings"), used)) = 0;
extern int __start_settings[], __stop_settings[];
void run(struct link *l);
int main(int argc, char **argv) {
  for (int *p = __start_settings; p < __stop_settings; p++)
    *p = argc > 1;
  struct link l = {0};
  run(&l);
  return other;
}
void run(struct link *l) {
  put(l, buf, 64, 0);
  if (!skip)
    take(l->cq);
  buf[0] = 1;
}
