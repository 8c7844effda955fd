// Remote memory by librpma: the client writes to the server's memory, flushes, reads it back and compares.
//
// usage: rpma server|client PORT
#include <librpma.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIZE = 8192, PART = SIZE / 4 }; // librpma keeps ten requests under way

static void need(int error, const char *what) {
  if (!error)
    return;
  fprintf(stderr, "%s: %s\n", what, rpma_err_2str(error));
  exit(1);
}

static char byte_of(int i) { return (char)(i * 7 + 1); }

static struct rpma_peer *open_peer(enum rpma_util_ibv_context_type type) {
  struct ibv_context *context;
  struct rpma_peer *peer;
  need(rpma_utils_get_ibv_context("127.0.0.1", type, &context), "device");
  need(rpma_peer_new(context, &peer), "peer");
  return peer;
}

static void expect(struct rpma_conn *conn, enum rpma_conn_event wanted) {
  enum rpma_conn_event event;
  need(rpma_conn_next_event(conn, &event), "event");
  if (event != wanted) {
    fprintf(stderr, "event: %s\n", rpma_utils_conn_event_2str(event));
    exit(1);
  }
}

static void await(struct rpma_conn *conn) {
  struct rpma_cq *cq;
  struct ibv_wc done;
  need(rpma_conn_get_cq(conn, &cq), "queue");
  need(rpma_cq_wait(cq), "wait");
  need(rpma_cq_get_wc(cq, 1, &done, NULL), "completion");
  if (done.status != IBV_WC_SUCCESS) {
    fprintf(stderr, "completion: %s\n", ibv_wc_status_str(done.status));
    exit(1);
  }
}

static int serve(const char *port) {
  char *memory = aligned_alloc(4096, SIZE);
  memset(memory, 0, SIZE);
  struct rpma_peer *peer = open_peer(RPMA_UTIL_IBV_CONTEXT_LOCAL);
  struct rpma_ep *ep;
  struct rpma_conn_req *req;
  struct rpma_conn *conn;
  struct rpma_mr_local *mr;
  struct rpma_conn_private_data data = {0};
  size_t size;
  need(rpma_ep_listen(peer, "127.0.0.1", port, &ep), "listen");
  need(rpma_mr_reg(peer, memory, SIZE,
                   RPMA_MR_USAGE_WRITE_DST | RPMA_MR_USAGE_READ_SRC | RPMA_MR_USAGE_FLUSH_TYPE_VISIBILITY,
                   &mr),
       "register");
  need(rpma_mr_get_descriptor_size(mr, &size), "descriptor");
  data.ptr = malloc(size);
  data.len = (uint8_t)size;
  need(rpma_mr_get_descriptor(mr, data.ptr), "descriptor");
  need(rpma_ep_next_conn_req(ep, NULL, &req), "request");
  need(rpma_conn_req_connect(&req, &data, &conn), "accept");
  expect(conn, RPMA_CONN_ESTABLISHED);
  expect(conn, RPMA_CONN_CLOSED);
  int wrong = 0;
  for (int i = 0; i < SIZE; ++i)
    wrong += memory[i] != byte_of(i);
  printf("%d wrong bytes at the server\n", wrong);
  return wrong != 0;
}

static int write_and_read(const char *port) {
  char *memory = aligned_alloc(4096, 2 * SIZE);
  for (int i = 0; i < SIZE; ++i)
    memory[i] = byte_of(i);
  memset(memory + SIZE, 0, SIZE);
  struct rpma_peer *peer = open_peer(RPMA_UTIL_IBV_CONTEXT_REMOTE);
  struct rpma_conn_req *req;
  struct rpma_conn *conn;
  struct rpma_mr_local *mr;
  struct rpma_mr_remote *there;
  struct rpma_conn_private_data data;
  need(rpma_mr_reg(peer, memory, 2 * SIZE, RPMA_MR_USAGE_WRITE_SRC | RPMA_MR_USAGE_READ_DST, &mr),
       "register");
  need(rpma_conn_req_new(peer, "127.0.0.1", port, NULL, &req), "request");
  need(rpma_conn_req_connect(&req, NULL, &conn), "connect");
  expect(conn, RPMA_CONN_ESTABLISHED);
  need(rpma_conn_get_private_data(conn, &data), "private data");
  need(rpma_mr_remote_from_descriptor(data.ptr, data.len, &there), "descriptor");
  for (int at = 0; at < SIZE; at += PART)
    need(rpma_write(conn, there, (size_t)at, mr, (size_t)at, PART, RPMA_F_COMPLETION_ON_ERROR, NULL), "write");
  need(rpma_flush(conn, there, 0, SIZE, RPMA_FLUSH_TYPE_VISIBILITY, RPMA_F_COMPLETION_ALWAYS, NULL), "flush");
  await(conn);
  need(rpma_read(conn, mr, SIZE, there, 0, SIZE, RPMA_F_COMPLETION_ALWAYS, NULL), "read");
  await(conn);
  int wrong = 0;
  for (int i = 0; i < SIZE; ++i)
    wrong += memory[SIZE + i] != byte_of(i);
  printf("%d wrong bytes at the client\n", wrong);
  need(rpma_conn_disconnect(conn), "disconnect");
  expect(conn, RPMA_CONN_CLOSED);
  return wrong != 0;
}

int main(int argc, char **argv) {
  if (argc != 3)
    return 2;
  return !strcmp(argv[1], "server") ? serve(argv[2]) : write_and_read(argv[2]);
}
