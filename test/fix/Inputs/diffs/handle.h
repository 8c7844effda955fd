/* Of handle.c and its other source: what a channel is made of is its own affair. */
#pragma once

#include "request.h"

struct channel;

struct channel *open_channel(struct ibv_qp *qp, const struct ibv_mr *mr, uint64_t remote, uint32_t rkey);
char *channel_text(struct channel *c);
int channel_send(struct channel *c);
