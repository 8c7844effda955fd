// Names into addresses: getaddrinfo(3) in the terms of RDMA.
#include "runtime/cm/Id.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <netdb.h>

using namespace rdma::cm;

namespace {

addrinfo hintsOf(const rdma_addrinfo &Wanted) {
  addrinfo H = {};
  if (Wanted.ai_flags & RAI_PASSIVE)
    H.ai_flags |= AI_PASSIVE;
  if (Wanted.ai_flags & RAI_NUMERICHOST)
    H.ai_flags |= AI_NUMERICHOST;
  H.ai_family = Wanted.ai_family;
  bool Datagrams = Wanted.ai_qp_type == IBV_QPT_UD || Wanted.ai_port_space == RDMA_PS_UDP ||
                   Wanted.ai_port_space == RDMA_PS_IPOIB;
  H.ai_socktype = Datagrams ? SOCK_DGRAM : SOCK_STREAM;
  return H;
}

bool copyAddress(sockaddr *&To, socklen_t &ToSize, const sockaddr *From, socklen_t Size) {
  To = static_cast<sockaddr *>(malloc(Size));
  if (!To)
    return false;
  memcpy(To, From, Size);
  ToSize = Size;
  return true;
}

/// What getaddrinfo found, in the result. False: no memory.
bool take(rdma_addrinfo &To, const addrinfo &Found, const rdma_addrinfo &Wanted) {
  bool Datagrams = Found.ai_socktype == SOCK_DGRAM;
  To.ai_family = Found.ai_family;
  To.ai_qp_type = Wanted.ai_qp_type ? Wanted.ai_qp_type : Datagrams ? IBV_QPT_UD : IBV_QPT_RC;
  To.ai_port_space = Wanted.ai_port_space ? Wanted.ai_port_space : Datagrams ? RDMA_PS_UDP : RDMA_PS_TCP;
  To.ai_flags = Wanted.ai_flags & RAI_PASSIVE;
  return To.ai_flags ? copyAddress(To.ai_src_addr, To.ai_src_len, Found.ai_addr, Found.ai_addrlen)
                     : copyAddress(To.ai_dst_addr, To.ai_dst_len, Found.ai_addr, Found.ai_addrlen);
}

/// As rdma_getaddrinfo: 0, an EAI_ value, or -1 with errno.
int fill(rdma_addrinfo &To, const char *Node, const char *Service, const rdma_addrinfo &Wanted) {
  bool Kept = true;
  if (Node || Service) {
    addrinfo Hints = hintsOf(Wanted), *Found = nullptr;
    if (int Error = getaddrinfo(Node, Service, &Hints, &Found))
      return Error;
    Kept = take(To, *Found, Wanted);
    freeaddrinfo(Found);
  } else {
    To.ai_flags = Wanted.ai_flags;
    To.ai_family = Wanted.ai_family;
    To.ai_qp_type = Wanted.ai_qp_type;
    To.ai_port_space = Wanted.ai_port_space;
    if (Wanted.ai_dst_len)
      Kept = copyAddress(To.ai_dst_addr, To.ai_dst_len, Wanted.ai_dst_addr, Wanted.ai_dst_len);
  }
  if (Kept && !To.ai_src_len && Wanted.ai_src_len)
    Kept = copyAddress(To.ai_src_addr, To.ai_src_len, Wanted.ai_src_addr, Wanted.ai_src_len);
  return Kept ? 0 : failed(ENOMEM);
}

} // namespace

extern "C" {

int rdma_getaddrinfo(const char *Node, const char *Service, const rdma_addrinfo *Hints, rdma_addrinfo **To) {
  if (!Node && !Service && !Hints)
    return failed(EINVAL);
  auto *Result = static_cast<rdma_addrinfo *>(calloc(1, sizeof(rdma_addrinfo)));
  if (!Result)
    return failed(ENOMEM);
  const rdma_addrinfo None = {};
  if (int Error = fill(*Result, Node, Service, Hints ? *Hints : None)) {
    rdma_freeaddrinfo(Result);
    return Error;
  }
  *To = Result;
  return 0;
}

void rdma_freeaddrinfo(rdma_addrinfo *First) {
  while (rdma_addrinfo *Each = First) {
    First = Each->ai_next;
    free(Each->ai_connect);
    free(Each->ai_route);
    free(Each->ai_src_canonname);
    free(Each->ai_dst_canonname);
    free(Each->ai_src_addr);
    free(Each->ai_dst_addr);
    free(Each);
  }
}
}
