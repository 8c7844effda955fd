#include "runtime/device/Binding.h"

#include "runtime/device/Context.h"
#include "runtime/device/Weak.h"

namespace rdma::device {

namespace binding {

namespace {

constexpr uint32_t OwnByte = 0xff; ///< of a key of type 2: the program chooses it
constexpr unsigned Rights =
    IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC;

/// The entry of the window that has the key, up to the byte that the program chooses; null when it is none.
SharedRegion *entryOf(SharedSegment &Owner, uint32_t Key) {
  SharedRegion &R = Owner.Regions[regionIndex(Key)];
  return R.Domain == DomainOfWindows && (R.WindowKey ^ Key) <= OwnByte ? &R : nullptr;
}

bool isOf(const SharedRegion &Window, const SharedQueuePair &By, uint32_t Domain) {
  return Window.Holder ? Window.Holder == By.Number : Window.WindowDomain == Domain;
}

/// A region that a window may be bound to like that.
bool isBindable(const SharedRegion &R, uint32_t Domain, uint64_t Address, uint64_t Length, unsigned Access) {
  bool Writes = Access & (IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_ATOMIC);
  return R.Domain == Domain && R.Access & IBV_ACCESS_MW_BIND &&
         (!Writes || R.Access & IBV_ACCESS_LOCAL_WRITE) && Address >= R.Iova && Length <= R.Length &&
         Address - R.Iova <= R.Length - Length;
}

constexpr Result Refused = {Outcome::Failed, IBV_WC_MW_BIND_ERR};

Result bind(QueuePair &Qp, const Request &R) {
  SharedSegment &Own = Qp.Home.segment();
  SharedRegion *Window = entryOf(Own, R.Rkey);
  uint64_t Address = R.RemoteAddr, Length = R.CompareAdd;
  auto Access = static_cast<unsigned>(R.Swap);
  uint32_t Key = R.Imm;
  bool IsZeroBased = Access & IBV_ACCESS_ZERO_BASED;
  if (!Window || Window->WindowDomain != Qp.Domain)
    return Refused;
  bool IsSecond = Window->WindowType == IBV_MW_TYPE_2;
  if (Access & ~(Rights | IBV_ACCESS_ZERO_BASED) || (IsZeroBased && !IsSecond) ||
      (IsSecond && (Window->Key || !Length)))
    return Refused;
  const SharedRegion &To = Own.Regions[regionIndex(Key)];
  if (Length && (!Key || To.Key != Key || !isBindable(To, Qp.Domain, Address, Length, Access)))
    return Refused;
  Window->Key = 0;
  Window->Of = Key;
  Window->Holder = IsSecond ? Qp.number() : 0;
  Window->Access = Access & Rights;
  Window->Address = Address;
  Window->Iova = IsZeroBased ? 0 : Address;
  Window->Length = Length;
  Window->WindowKey = R.Rkey;
  if (Length) // otherwise it is bound to nothing
    Window->Key = R.Rkey;
  return {};
}

} // namespace

Part find(SharedSegment &Owner, const SharedQueuePair &By, uint32_t Key, uint64_t Address, uint64_t Length,
          uint32_t Access, uint32_t Domain) {
  SharedRegion *W = entryOf(Owner, Key);
  if (!Key || !W || W->Key != Key || !isOf(*W, By, Domain) || (W->Access & Access) != Access ||
      Address < W->Iova || Length > W->Length || Address - W->Iova > W->Length - Length)
    return {};
  Part Found = {W->Of, W->WindowDomain, Address - W->Iova + W->Address};
  return W->Key == Key ? Found : Part(); // it may have been bound anew meanwhile
}

void fill(Request &R, uint32_t NewKey, const ibv_mw_bind_info &Info) {
  R.Rkey = NewKey;
  R.RemoteAddr = Info.addr;
  R.CompareAdd = Info.length;
  R.Swap = Info.mw_access_flags;
  R.Imm = Info.mr ? Info.mr->rkey : 0;
  R.SgeCount = 0;
}

Result execute(QueuePair &Qp, const Request &R) {
  if (R.Opcode == IBV_WR_BIND_MW)
    return bind(Qp, R);
  return invalidate(Qp.Home.segment(), *Qp.Shared, R.Imm) ? Result{} : Refused;
}

bool invalidate(SharedSegment &Owner, const SharedQueuePair &By, uint32_t Key) {
  SharedRegion *W = entryOf(Owner, Key);
  return Key && W && W->Holder && isOf(*W, By, By.Domain) && W->Key.compare_exchange_strong(Key, 0);
}

bool isBound(Node &N, uint32_t Key) {
  for (uint32_t I = 0, End = N.Windows ? N.Regions.end() : 0; I < End; ++I)
    if (const SharedRegion &R = N.segment().Regions[I]; R.Domain == DomainOfWindows && R.Key && R.Of == Key)
      return true;
  return false;
}

} // namespace binding

ibv_mw *allocateWindow(ibv_pd *Pd, ibv_mw_type Type) {
  if (Type != IBV_MW_TYPE_1 && Type != IBV_MW_TYPE_2) {
    errno = EINVAL;
    return nullptr;
  }
  Node &N = nodeOf(Pd->context);
  uint32_t Index = N.Regions.take();
  if (Index == IndexPool::Full) {
    errno = ENOMEM;
    return nullptr;
  }
  SharedRegion &R = N.segment().Regions[Index];
  uint32_t Key = N.nextWindowKey(Index);
  R.WindowDomain = Domain::of(Pd)->Number;
  R.WindowType = Type;
  R.WindowKey = Key;
  R.Holder = 0;
  R.Domain = DomainOfWindows;
  N.Windows++;
  Domain::of(Pd)->Users++;
  return new ibv_mw{Pd->context, Pd, Key, Index, Type};
}

int releaseWindow(ibv_mw *Mw) {
  Node &N = nodeOf(Mw->context);
  SharedRegion &R = N.segment().Regions[Mw->handle];
  R.Key = 0;
  R.Domain = 0;
  N.Windows--;
  N.Regions.giveBack(Mw->handle);
  Domain::of(Mw->pd)->Users--;
  delete Mw;
  return 0;
}

/// Of type 1: the device chooses the key, another one each time.
int bindWindow(ibv_qp *Qp, ibv_mw *Mw, ibv_mw_bind *Bind) {
  ibv_send_wr Wr = {}, *Bad;
  Wr.wr_id = Bind->wr_id;
  Wr.send_flags = Bind->send_flags;
  Wr.opcode = IBV_WR_BIND_MW;
  Wr.bind_mw.mw = Mw;
  Wr.bind_mw.rkey = ibv_inc_rkey(Mw->rkey);
  Wr.bind_mw.bind_info = Bind->bind_info;
  int Error = postSend(Qp, &Wr, &Bad);
  if (!Error)
    Mw->rkey = Wr.bind_mw.rkey;
  return Error;
}

} // namespace rdma::device
