/* A generated program on the emulated device: what its glue says of it, and what it is compiled with. C and
 * C++.
 *
 * Every source of the program is compiled with -include Drive.h: its polls, its random numbers and the
 * constants that it puts on the heap go through the functions below. */
#ifndef DRIVE_H
#define DRIVE_H

#include <infiniband/verbs.h>

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#ifdef __cplusplus
#include <cstdlib>
extern "C" {
#endif

struct drive_pair {
  int home, target; /* nodes */
  int queue;        /* the first queue pair with the same completion queue */
};

struct drive_word {
  const char *name;
  void *at;
  int64_t initial;
};

struct drive_program {
  int nodes, pairs, words, functions;
  const struct drive_pair *pair;
  const struct drive_word *word;
  void (*const *function)(void); /* each run by a thread of its own */
  void (*set_end)(int pair, struct ibv_qp *qp, struct ibv_cq *cq, uint32_t lkey, uint32_t rkey);
};

/* In the glue. */
extern const struct drive_program drive_program;

/* A poll of the program, which notes what it was given. */
int drive_poll(struct ibv_cq *cq, int count, struct ibv_wc *wc);
/* Small numbers, the same for a seed and a thread. */
int drive_rand(void);
/* Memory that requests can be sent from. */
void *drive_malloc(size_t size);
/* With a stack that requests can be sent from. */
int drive_thread(pthread_t *thread, void *(*start)(void *), void *argument);

#ifdef __cplusplus
}
#endif

#ifndef DRIVES
#define ibv_poll_cq(cq, count, wc) drive_poll(cq, count, wc)
#define rand() drive_rand()
#define malloc(size) drive_malloc(size)
#define pthread_create(thread, attributes, start, argument) drive_thread(thread, start, argument)
#endif

#endif
