// An item is filled when it is in a list already, behind the section that has put it there.
#include "grid.h"
#include <pthread.h>
struct item {
  struct item *next;
  int value;
};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct item *head;
static int count, sum;
static char page[64];
static void *work(void *given) {
  pthread_mutex_lock(&lock);
  while (head) {
    struct item *item = head;
    head = item->next;
    count--;
    sum += item->value;
    free(item);
  }
  pthread_mutex_unlock(&lock);
  return given;
}
void run(struct link *l) {
  pthread_t worker;
  if (pthread_create(&worker, 0, work, l))
    abort();
  for (int i = 0; i < 20; i++) {
    struct item *item = malloc(sizeof *item);
    pthread_mutex_lock(&lock);
    item->next = head;
    head = item;
    count++;
    pthread_mutex_unlock(&lock);
    item->value = i;
  }
  pthread_join(worker, 0);
  put(l, page, 64, 0);
  take(l->cq);
}
