#include "runtime/device/Datagram.h"

#include "runtime/device/Context.h"
#include "runtime/device/Gather.h"
#include "runtime/device/Gid.h"
#include "runtime/device/GiveWay.h"
#include "runtime/device/Multicast.h"

#include <endian.h>

namespace rdma::device {

namespace {

/// Counts a poster as long as it is at work on the queue pair.
class Posting {
public:
  explicit Posting(SharedQueuePair &There) : There(There) { There.Posters.fetch_add(1); }
  ~Posting() { There.Posters.fetch_sub(1); }
  Posting(const Posting &) = delete;
  Posting &operator=(const Posting &) = delete;

private:
  SharedQueuePair &There;
};

bool accepts(const SharedQueuePair &There, uint32_t Number, uint32_t Qkey) {
  return isReceiving(There.State) && There.Number == Number && There.Type == IBV_QPT_UD && There.Qkey == Qkey;
}

ibv_grh headerOf(const QueuePair &Qp, const Handle &To, uint64_t Length) {
  ibv_grh Grh = {};
  Grh.version_tclass_flow =
      htobe32(6u << 28 | uint32_t(To.Attr.grh.traffic_class) << 20 | To.Attr.grh.flow_label);
  Grh.paylen = htobe16(static_cast<uint16_t>(Length));
  Grh.next_hdr = 0x1b; // of the transport header
  Grh.hop_limit = To.Attr.grh.hop_limit;
  Grh.sgid = gidOf(Qp.Home.lid(), To.Attr.grh.sgid_index);
  Grh.dgid = To.Attr.grh.dgid;
  return Grh;
}

/// Spreads the header and the message over the receive.
ibv_wc_status place(Peer &Target, const SharedQueuePair &There, std::span<const Chunk> Message,
                    const TakenReceive &To) {
  uint32_t Domain = receiveDomain(Target, There, To.Slot->Queue);
  uint32_t Entry = 0;
  uint64_t Used = 0; // of the entry
  for (const Chunk &C : Message)
    for (uint64_t Done = 0; Done < C.Length;) {
      while (Entry < To.SgeCount && Used == To.Sges[Entry].length)
        ++Entry, Used = 0;
      if (Entry == To.SgeCount)
        return IBV_WC_LOC_LEN_ERR;
      const ibv_sge &S = To.Sges[Entry];
      uint64_t Part = std::min(C.Length - Done, S.length - Used);
      RegionUse Bytes = Target.use(S.lkey, S.addr + Used, Part, IBV_ACCESS_LOCAL_WRITE, Domain);
      if (!Bytes || !Target.write(Bytes, 0, C.Data + Done, Part))
        return IBV_WC_LOC_PROT_ERR;
      Done += Part;
      Used += Part;
    }
  return IBV_WC_SUCCESS;
}

SharedCompletion completionOf(const QueuePair &Qp, const SharedQueuePair &There, const Request &R) {
  SharedCompletion C = {};
  C.Wc.opcode = IBV_WC_RECV;
  C.Wc.byte_len = static_cast<uint32_t>(R.Length + sizeof(ibv_grh));
  C.Wc.qp_num = There.Number;
  C.Wc.src_qp = Qp.number();
  C.Wc.slid = shownLid(Qp.Home.lid());
  if (R.Opcode == IBV_WR_SEND_WITH_IMM) {
    C.Wc.imm_data = R.Imm;
    C.Wc.wc_flags |= IBV_WC_WITH_IMM;
  }
  if (R.To->Attr.is_global)
    C.Wc.wc_flags |= IBV_WC_GRH;
  C.Solicited = R.Flags & IBV_SEND_SOLICITED;
  return C;
}

void deliverDatagram(QueuePair &Qp, Peer &Target, uint32_t Number, const Request &R, const LocalList &Local) {
  SharedQueuePair &There = Target.segment().QueuePairs[queuePairIndex(Number)];
  Posting Here(There);
  // A key with its highest bit set stands for that of the sending queue pair.
  uint32_t Qkey = R.Qkey >> 31 ? Qp.Attr.qkey : R.Qkey;
  Delivery Order(Target, There);
  TakenReceive To;
  if (!accepts(There, Number, Qkey) || !Order.take(To))
    return;
  ibv_grh Header = headerOf(Qp, *R.To, R.Length);
  std::vector<Chunk> Message = {{reinterpret_cast<char *>(&Header), sizeof Header}};
  Message.insert(Message.end(), Local.Entries, Local.Entries + Local.Count);
  SharedCompletion C = completionOf(Qp, There, R);
  C.Wc.wr_id = To.WrId;
  C.Wc.status = place(Target, There, Message, To);
  putCompletion(Target, There.ReceiveCompletions, C, To.Slot);
}

} // namespace

Result sendDatagram(QueuePair &Qp, const Request &R) {
  LocalList Local;
  if (R.Length > MaxDatagram)
    return {Outcome::Failed, IBV_WC_LOC_LEN_ERR};
  if (!openLocal(Qp, R, 0, Local))
    return {Outcome::Failed, IBV_WC_LOC_PROT_ERR};
  if (R.To->isGroup())
    multicast::forEachMember(Qp.Home, R.To->Attr.grh.dgid, [&](Peer &Target, uint32_t Number) {
      if (!Qp.SkipsItself || !Target.isSelf() || Number != Qp.number())
        deliverDatagram(Qp, Target, Number, R, Local);
    });
  else if (std::shared_ptr<Peer> Target = R.To->peer())
    deliverDatagram(Qp, *Target, R.RemoteNumber, R, Local);
  return {};
}

void awaitPosters(SharedQueuePair &There) {
  auto Limit = Clock::now() + std::chrono::milliseconds(100);
  while (There.Posters && Clock::now() < Limit)
    giveWay();
  There.Posters = 0;
}

bool Handle::isGroup() const { return Attr.is_global && multicast::isGroup(Attr.grh.dgid); }

std::shared_ptr<Peer> Handle::peer() {
  std::lock_guard Guard(Lock);
  if (!Target || !Target->alive())
    Target = nodeOf(Base.context).peer(Lid);
  return Target;
}

} // namespace rdma::device

using namespace rdma::device;

extern "C" {

ibv_ah *ibv_create_ah(ibv_pd *Pd, ibv_ah_attr *Attr) {
  if (Attr->port_num != 1 || (isEthernet() && !Attr->is_global) ||
      (Attr->is_global && Attr->grh.sgid_index >= gidCount())) {
    errno = EINVAL;
    return nullptr;
  }
  auto H = std::make_shared<Handle>();
  H->Base.context = Pd->context;
  H->Base.pd = Pd;
  H->Attr = *Attr;
  H->Lid = lidOf(*Attr);
  H->Self = H;
  Domain::of(Pd)->Users++;
  return &H->Base;
}

int ibv_init_ah_from_wc(ibv_context *, uint8_t Port, ibv_wc *Wc, ibv_grh *Grh, ibv_ah_attr *Attr) {
  *Attr = {};
  Attr->dlid = Wc->slid;
  Attr->sl = Wc->sl;
  Attr->src_path_bits = Wc->dlid_path_bits;
  Attr->port_num = Port;
  if (Wc->wc_flags & IBV_WC_GRH) {
    Attr->is_global = 1;
    Attr->grh.dgid = Grh->sgid;
    Attr->grh.hop_limit = 0xff;
    uint32_t Header = be32toh(Grh->version_tclass_flow);
    Attr->grh.traffic_class = static_cast<uint8_t>(Header >> 20);
    Attr->grh.flow_label = Header & 0xfffff;
    Attr->grh.sgid_index = gidIndex(Grh->dgid);
  }
  return 0;
}

ibv_ah *ibv_create_ah_from_wc(ibv_pd *Pd, ibv_wc *Wc, ibv_grh *Grh, uint8_t Port) {
  ibv_ah_attr Attr;
  ibv_init_ah_from_wc(Pd->context, Port, Wc, Grh, &Attr);
  return ibv_create_ah(Pd, &Attr);
}

int ibv_destroy_ah(ibv_ah *Ah) {
  Domain::of(Ah->pd)->Users--;
  std::shared_ptr<Handle> Ours = std::move(Handle::of(Ah)->Self);
  return 0;
}
}
