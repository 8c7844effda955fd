// A page is sent through one link, and a thread takes the completion; what is fetched comes through another.
#pragma once
#include "grid.h"
#include <pthread.h>
static struct link *rail;
static uint64_t page;
pthread_t elsewhere;
static void *role(void *given) {
  take(rail->cq);
  return given;
}
