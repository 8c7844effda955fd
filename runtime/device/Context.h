// The open device, with the tables through which libibverbs' inline functions call it.
#pragma once

#include "runtime/device/QueuePair.h"

namespace rdma::device {

/// An open device. The public context is the last member of verbs_context.
struct Context {
  verbs_context Verbs = {};
  Node *Home = nullptr;
  int EventsEnd = -1; ///< where its asynchronous events are written
  uint32_t EventsCookie = 0;
  static Context *of(ibv_context *Public) {
    return reinterpret_cast<Context *>(reinterpret_cast<char *>(Public) - offsetof(verbs_context, context));
  }
};

/// The node that an object of this context belongs to.
inline Node &nodeOf(ibv_context *Public) { return *Context::of(Public)->Home; }

/// A new object of this context, whose events go there.
SharedEvents eventsOf(ibv_context *Public, void *Object);

struct Domain {
  ibv_pd Base = {};
  uint32_t Number = 0;
  std::atomic<uint32_t> Users{0};
  Domain *Parent = nullptr;                     ///< whose place this one takes, with the same number
  std::atomic<uint32_t> *ThreadUsers = nullptr; ///< of its thread domain
  static Domain *of(ibv_pd *Pd) { return reinterpret_cast<Domain *>(Pd); }
};

/// An XRC domain, opened; its number is that of all that were opened of the same file in this process.
struct XrcDomain {
  ibv_xrcd Base = {};
  uint32_t Number = 0;
  std::atomic<uint32_t> Users{0};
  static XrcDomain *of(ibv_xrcd *Xrcd) { return reinterpret_cast<XrcDomain *>(Xrcd); }
};

/// A shared receive queue.
struct SharedReceives {
  ibv_srq Base = {};
  XrcDomain *Xrc = nullptr;               ///< that it is in, with
  CompletionQueue *Completions = nullptr; ///< those of its receives
  uint32_t Index = 0;
  ibv_srq_attr Attr = {};
  std::atomic<uint32_t> Users{0};
  std::mutex Telling; ///< from the number of a receive to its post, in a run that is checked
  std::unique_ptr<check::Tasks> Checked; ///< there only in such a run
  static SharedReceives *of(ibv_srq *Srq) { return reinterpret_cast<SharedReceives *>(Srq); }
};

/// An address handle: where a datagram goes.
struct Handle {
  ibv_ah Base = {};
  ibv_ah_attr Attr = {};
  uint32_t Lid = 0;
  std::mutex Lock;
  std::shared_ptr<Peer> Target;
  std::shared_ptr<Handle> Self; ///< until the program destroys it; requests that wait keep it longer
  static Handle *of(ibv_ah *Ah) { return reinterpret_cast<Handle *>(Ah); }
  static std::shared_ptr<Handle> share(ibv_ah *Ah) { return Ah ? of(Ah)->Self : nullptr; }
  /// A multicast group.
  bool isGroup() const;
  /// The node, or null when there is none now.
  std::shared_ptr<Peer> peer();
};

struct Channel {
  ibv_comp_channel Base = {};
  int WriteEnd = -1;
  uint32_t Cookie = 0;
  static Channel *of(ibv_comp_channel *C) { return reinterpret_cast<Channel *>(C); }
};

/// Without a domain (Pd) for one that receives with XRC.
ibv_qp *createQueuePair(ibv_context *Public, ibv_pd *Pd, XrcDomain *Xrc, ibv_qp_init_attr &Init);
SharedReceives *createSharedReceives(ibv_pd *Pd, const ibv_srq_attr &Attr, void *Context);

/// Fills the tables (device/Context.cpp).
void fillOperations(verbs_context &Verbs);

// What the tables point to.
int pollCq(ibv_cq *Cq, int Count, ibv_wc *To);
int requestNotification(ibv_cq *Cq, int SolicitedOnly);
int postSend(ibv_qp *Qp, ibv_send_wr *List, ibv_send_wr **Bad);
int postReceive(ibv_qp *Qp, ibv_recv_wr *List, ibv_recv_wr **Bad);
int postSharedReceive(ibv_srq *Srq, ibv_recv_wr *List, ibv_recv_wr **Bad);
ibv_cq_ex *createExtended(ibv_context *Public, ibv_cq_init_attr_ex *Init);
ibv_mw *allocateWindow(ibv_pd *Pd, ibv_mw_type Type);
int releaseWindow(ibv_mw *Mw);
int bindWindow(ibv_qp *Qp, ibv_mw *Mw, ibv_mw_bind *Bind);
int queryTime(ibv_context *Public, ibv_values_ex *Values);
ibv_xrcd *openXrcDomain(ibv_context *Public, ibv_xrcd_init_attr *Init);
int closeXrcDomain(ibv_xrcd *Xrcd);
ibv_srq *createExtended(ibv_context *Public, ibv_srq_init_attr_ex *Init);
int numberOf(ibv_srq *Srq, uint32_t *Number);
ibv_qp *openQueuePair(ibv_context *Public, ibv_qp_open_attr *Attr);
ibv_td *createThreadDomain(ibv_context *Public, ibv_td_init_attr *Init);
int destroyThreadDomain(ibv_td *Td);
ibv_pd *createParentDomain(ibv_context *Public, ibv_parent_domain_init_attr *Init);
int queryPort(ibv_context *Public, uint8_t Port, ibv_port_attr *Attr, size_t Size);
int queryDevice(ibv_context *Public, const ibv_query_device_ex_input *Input, ibv_device_attr_ex *Attr,
                size_t Size);

} // namespace rdma::device
