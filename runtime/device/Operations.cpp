// The tables of the open device, and names for numbers.
#include "runtime/device/Context.h"
#include "runtime/device/WorkRequests.h"

namespace rdma::device {

void fillOperations(verbs_context &Verbs) {
  ibv_context_ops &Ops = Verbs.context.ops;
  Ops.poll_cq = pollCq;
  Ops.req_notify_cq = requestNotification;
  Ops.post_send = postSend;
  Ops.post_recv = postReceive;
  Ops.post_srq_recv = postSharedReceive;
  Ops.alloc_mw = allocateWindow;
  Ops.dealloc_mw = releaseWindow;
  Ops.bind_mw = bindWindow;
  Verbs.query_port = queryPort;
  Verbs.query_device_ex = queryDevice;
  Verbs.create_qp_ex = createExtended;
  Verbs.open_xrcd = openXrcDomain;
  Verbs.close_xrcd = closeXrcDomain;
  Verbs.create_srq_ex = createExtended;
  Verbs.get_srq_num = numberOf;
  Verbs.open_qp = openQueuePair;
  Verbs.alloc_td = createThreadDomain;
  Verbs.dealloc_td = destroyThreadDomain;
  Verbs.alloc_parent_domain = createParentDomain;
  Verbs.create_cq_ex = createExtended;
  Verbs.query_rt_values = queryTime;
}

} // namespace rdma::device

extern "C" {

const char *ibv_wc_status_str(ibv_wc_status Status) {
  static const char *const Names[] = {"success",
                                      "local length error",
                                      "local QP operation error",
                                      "local EE context operation error",
                                      "local protection error",
                                      "Work Request Flushed Error",
                                      "memory management operation error",
                                      "bad response error",
                                      "local access error",
                                      "remote invalid request error",
                                      "remote access error",
                                      "remote operation error",
                                      "transport retry counter exceeded",
                                      "RNR retry counter exceeded",
                                      "local RDD violation error",
                                      "remote invalid RD request",
                                      "aborted error",
                                      "invalid EE context number",
                                      "invalid EE context state",
                                      "fatal error",
                                      "response timeout error",
                                      "general error",
                                      "TM error",
                                      "TM software rendezvous"};
  return Status < sizeof Names / sizeof *Names ? Names[Status] : "unknown";
}

const char *ibv_node_type_str(ibv_node_type Type) {
  switch (Type) {
  case IBV_NODE_CA:
    return "InfiniBand channel adapter";
  case IBV_NODE_SWITCH:
    return "InfiniBand switch";
  case IBV_NODE_ROUTER:
    return "InfiniBand router";
  case IBV_NODE_RNIC:
    return "iWARP NIC";
  case IBV_NODE_USNIC:
    return "usNIC";
  case IBV_NODE_USNIC_UDP:
    return "usNIC UDP";
  case IBV_NODE_UNSPECIFIED:
    return "unspecified";
  default:
    return "unknown";
  }
}

const char *ibv_port_state_str(ibv_port_state State) {
  static const char *const Names[] = {"no state change (NOP)", "down", "init", "armed", "active",
                                      "active defer"};
  return State < sizeof Names / sizeof *Names ? Names[State] : "unknown";
}
}
