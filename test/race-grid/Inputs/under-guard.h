// A page that one thread sends under a guard, and another changes when it is told that it was posted. The program says which MUTEX and
// which GUARD, and what the `writer` does.
#pragma once

#include "grid.h"
#include <atomic>
#include <mutex>
#include <shared_mutex>
#include <thread>

static char page[64];
static MUTEX M;
static std::atomic<bool> Posted;
static void writer();
static void change() {
  if (Posted)
    page[0] = 1;
}
extern "C" void run(struct link *l) {
  std::thread t([l] {
    GUARD g(M);
    put(l, page, 64, 0);
    Posted = true;
    take(l->cq);
  });
  writer();
  t.join();
}
