// Messages to and fro; each end has one completion queue, and tells of polls and completions that have failed.
#pragma once

#include "one-queue.h"
#include <stdio.h>

char ask[64], asked[64], reply[64], answer[64], sum, other;

static int completed(struct ibv_cq *queue) {
  struct ibv_wc wc;
  int n;
  do
    n = ibv_poll_cq(queue, 1, &wc);
  while (n == 0);
  if (n < 0) {
    fprintf(stderr, "no poll\n");
    return -1;
  }
  if (wc.status != IBV_WC_SUCCESS) {
    fprintf(stderr, "request %lu: %s\n", wc.wr_id, ibv_wc_status_str(wc.status));
    return -1;
  }
  return 0;
}

int run(void) {
  struct end e;
  open_mixed(&e);
  expect(&e, answer, 64);
  meet(e.qp, &far);
  for (int i = 0; i < 100; i++) {
    ask[0] = i;
    tell(&e, ask, 64);
    if (completed(e.sent))
      return -1;
    LOOK_EARLY;
    if (completed(e.sent))
      return -1;
    sum += answer[0];
    expect(&e, answer, 64);
  }
  return 0;
}
int serve(void) {
  struct end e;
  open_mixed(&e);
  expect(&e, asked, 64);
  meet(e.qp, &far);
  for (int i = 0; i < 100; i++) {
    if (completed(e.sent))
      return -1;
    other += asked[0];
    reply[0] = other;
    tell(&e, reply, 64);
    if (completed(e.sent))
      return -1;
    expect(&e, asked, 64);
  }
  return 0;
}
