// Threads write a page and look at a word that is written behind their ends, before the page is sent.
#pragma once
#include "grid.h"
#include <pthread.h>
static pthread_t some[8], others[8];
pthread_t elsewhere;
static uint64_t page;
static volatile uint64_t other, seen;
static void *role(void *given) {
  page = 1;
  seen = other;
  return given;
}
