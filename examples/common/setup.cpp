#include "common/setup.h"

#include <algorithm>
#include <arpa/inet.h>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

namespace {

enum { PORT_NUMBER = 1, QUEUE_DEPTH = 128, CONNECT_TRIES = 60000 };

// What one side tells the other about its queue pair; both run on one machine, so bytes go as they are.
struct Address {
  uint32_t QpNumber;
  uint32_t Rkey;
  uint64_t Addr;
  union ibv_gid Gid;
  uint16_t Lid;
};

void createQueuePair(connection *C, const device *Dev) {
  C->cq = ibv_create_cq(Dev->context, QUEUE_DEPTH, nullptr, nullptr, 0);
  if (!C->cq)
    die("ibv_create_cq");
  ibv_qp_init_attr Init = {};
  Init.send_cq = C->cq;
  Init.recv_cq = C->cq;
  Init.qp_type = IBV_QPT_RC;
  Init.cap.max_send_wr = QUEUE_DEPTH;
  Init.cap.max_recv_wr = 1;
  Init.cap.max_send_sge = 1;
  Init.cap.max_recv_sge = 1;
  Init.cap.max_inline_data = 64;
  C->qp = ibv_create_qp(Dev->pd, &Init);
  if (!C->qp)
    die("ibv_create_qp");
}

int gidIndex() {
  const char *Text = getenv("RDMA_GID_INDEX");
  return Text ? atoi(Text) : 0;
}

Address localAddress(const connection *C, const device *Dev, const ibv_mr *Offered) {
  Address Mine = {};
  ibv_port_attr Port = {};
  if (ibv_query_port(Dev->context, PORT_NUMBER, &Port))
    die("ibv_query_port");
  if (Port.link_layer == IBV_LINK_LAYER_ETHERNET &&
      ibv_query_gid(Dev->context, PORT_NUMBER, gidIndex(), &Mine.Gid))
    die("ibv_query_gid");
  Mine.Lid = Port.lid;
  Mine.QpNumber = C->qp->qp_num;
  if (Offered) {
    Mine.Addr = reinterpret_cast<uintptr_t>(Offered->addr);
    Mine.Rkey = Offered->rkey;
  }
  return Mine;
}

void moveToInit(ibv_qp *Qp) {
  ibv_qp_attr Attr = {};
  Attr.qp_state = IBV_QPS_INIT;
  Attr.port_num = PORT_NUMBER;
  Attr.qp_access_flags = REMOTE_ACCESS;
  if (ibv_modify_qp(Qp, &Attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS))
    die("queue pair to INIT");
}

void moveToReadyToReceive(ibv_qp *Qp, const Address &Peer, uint8_t Reads) {
  ibv_qp_attr Attr = {};
  Attr.qp_state = IBV_QPS_RTR;
  Attr.path_mtu = IBV_MTU_1024;
  Attr.dest_qp_num = Peer.QpNumber;
  Attr.max_dest_rd_atomic = Reads;
  Attr.min_rnr_timer = 12;
  Attr.ah_attr.dlid = Peer.Lid;
  Attr.ah_attr.port_num = PORT_NUMBER;
  if (Peer.Gid.global.interface_id) {
    Attr.ah_attr.is_global = 1;
    Attr.ah_attr.grh.hop_limit = 1;
    Attr.ah_attr.grh.dgid = Peer.Gid;
    Attr.ah_attr.grh.sgid_index = static_cast<uint8_t>(gidIndex());
  }
  if (ibv_modify_qp(Qp, &Attr,
                    IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
                        IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER))
    die("queue pair to RTR");
}

void moveToReadyToSend(ibv_qp *Qp, uint8_t Reads) {
  ibv_qp_attr Attr = {};
  Attr.qp_state = IBV_QPS_RTS;
  Attr.timeout = 14;
  Attr.retry_cnt = 7;
  Attr.rnr_retry = 7;
  Attr.max_rd_atomic = Reads;
  if (ibv_modify_qp(Qp, &Attr,
                    IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN |
                        IBV_QP_MAX_QP_RD_ATOMIC))
    die("queue pair to RTS");
}

void connectQueuePair(connection *C, const device *Dev, const Address &Peer) {
  ibv_device_attr Limits = {};
  if (ibv_query_device(Dev->context, &Limits))
    die("ibv_query_device");
  auto Reads = static_cast<uint8_t>(std::clamp(Limits.max_qp_rd_atom, 1, 16));
  moveToInit(C->qp);
  moveToReadyToReceive(C->qp, Peer, Reads);
  moveToReadyToSend(C->qp, Reads);
  C->remote_addr = Peer.Addr;
  C->rkey = Peer.Rkey;
}

void sendAll(int Sock, const void *Data, size_t Size) {
  for (auto *At = static_cast<const char *>(Data); Size;) {
    ssize_t N = send(Sock, At, Size, MSG_NOSIGNAL);
    if (N < 0 && errno == EINTR)
      continue;
    if (N <= 0)
      die("send");
    At += N;
    Size -= static_cast<size_t>(N);
  }
}

void receiveAll(int Sock, void *Data, size_t Size) {
  for (auto *At = static_cast<char *>(Data); Size;) {
    ssize_t N = recv(Sock, At, Size, 0);
    if (N < 0 && errno == EINTR)
      continue;
    if (N == 0)
      errno = ECONNRESET;
    if (N <= 0)
      die("receive");
    At += N;
    Size -= static_cast<size_t>(N);
  }
}

sockaddr_in loopback(int Port) {
  sockaddr_in To = {};
  To.sin_family = AF_INET;
  To.sin_port = htons(static_cast<uint16_t>(Port));
  To.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return To;
}

int newSocket() {
  int Sock = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (Sock < 0)
    die("socket");
  int On = 1;
  setsockopt(Sock, IPPROTO_TCP, TCP_NODELAY, &On, sizeof On);
  setsockopt(Sock, SOL_SOCKET, SO_REUSEADDR, &On, sizeof On);
  return Sock;
}

// Both sides are ready to receive when this returns: neither may post before the other is.
void meetPeer(connection *C, const device *Dev, const ibv_mr *Offered) {
  createQueuePair(C, Dev);
  Address Mine = localAddress(C, Dev, Offered), Theirs = {};
  swap_with_peer(C, &Mine, &Theirs, sizeof Mine);
  connectQueuePair(C, Dev, Theirs);
  tell_peer(C);
  await_peer(C);
}

} // namespace

void die(const char *what) {
  fprintf(stderr, "%s: %s: %s\n", program_invocation_short_name, what, errno ? strerror(errno) : "failed");
  exit(1);
}

void open_device(device *dev) {
  const char *Wanted = getenv("RDMA_DEVICE");
  int Count = 0;
  ibv_device **List = ibv_get_device_list(&Count);
  if (!List)
    die("ibv_get_device_list");
  *dev = {};
  for (int I = 0; I < Count && !dev->context; ++I)
    if (!Wanted || !strcmp(Wanted, ibv_get_device_name(List[I])))
      dev->context = ibv_open_device(List[I]);
  ibv_free_device_list(List);
  if (!dev->context)
    die("no RDMA device");
  dev->pd = ibv_alloc_pd(dev->context);
  if (!dev->pd)
    die("ibv_alloc_pd");
}

void close_device(device *dev) {
  ibv_dealloc_pd(dev->pd);
  ibv_close_device(dev->context);
}

int listen_on(int port) {
  int Sock = newSocket();
  sockaddr_in At = loopback(port);
  if (bind(Sock, reinterpret_cast<sockaddr *>(&At), sizeof At) || listen(Sock, 16))
    die("listen");
  return Sock;
}

void accept_from(connection *peer, const device *dev, int listener, const ibv_mr *offered) {
  peer->sock = accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
  if (peer->sock < 0)
    die("accept");
  int On = 1;
  setsockopt(peer->sock, IPPROTO_TCP, TCP_NODELAY, &On, sizeof On);
  meetPeer(peer, dev, offered);
}

void connect_to(connection *peer, const device *dev, int port, const ibv_mr *offered) {
  sockaddr_in To = loopback(port);
  for (int Try = 0;; ++Try) {
    peer->sock = newSocket();
    if (!connect(peer->sock, reinterpret_cast<sockaddr *>(&To), sizeof To))
      break;
    if (errno != ECONNREFUSED || Try == CONNECT_TRIES)
      die("connect");
    close(peer->sock);
    usleep(1000);
  }
  meetPeer(peer, dev, offered);
}

void connect_to_self(connection *self, const device *dev, const ibv_mr *offered) {
  self->sock = -1;
  createQueuePair(self, dev);
  connectQueuePair(self, dev, localAddress(self, dev, offered));
}

void close_connection(connection *peer) {
  ibv_destroy_qp(peer->qp);
  ibv_destroy_cq(peer->cq);
  if (peer->sock >= 0)
    close(peer->sock);
}

void tell_peer(const connection *peer) { sendAll(peer->sock, "!", 1); }

void await_peer(const connection *peer) {
  char Byte;
  receiveAll(peer->sock, &Byte, 1);
}

void swap_with_peer(const connection *peer, const void *mine, void *theirs, size_t size) {
  sendAll(peer->sock, mine, size);
  receiveAll(peer->sock, theirs, size);
}
