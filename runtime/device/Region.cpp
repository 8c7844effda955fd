// Memory regions.
#include "runtime/device/Binding.h"
#include "runtime/device/Context.h"
#include "runtime/device/GiveWay.h"
#include "runtime/device/Presence.h"
#include "runtime/device/Weak.h"

#undef ibv_reg_mr
#undef ibv_reg_mr_iova

using namespace rdma::device;

namespace {

constexpr uint64_t PageSize = 4096;
constexpr unsigned Rights =
    IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC;
constexpr unsigned Known =
    Rights | IBV_ACCESS_MW_BIND | IBV_ACCESS_ZERO_BASED | IBV_ACCESS_HUGETLB | IBV_ACCESS_OPTIONAL_RANGE;

bool valid(unsigned Access) {
  bool RemoteWrites = Access & (IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_ATOMIC);
  return !(Access & ~Known) && (!RemoteWrites || Access & IBV_ACCESS_LOCAL_WRITE);
}

bool isWritten(unsigned Access) {
  return Access & (IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_ATOMIC);
}

/// The service thread touches the program's heap, which is perhaps what moves.
std::unique_lock<OwnerLock> pauseService() {
  WeakScheduler *Scheduler = WeakScheduler::get();
  return Scheduler ? std::unique_lock(Scheduler->Lock) : std::unique_lock<OwnerLock>();
}

/// Its pages become ordinary memory, but for those that others need.
void giveUp(Node &N, const SharedRegion &R) {
  auto Guard = pauseService();
  N.window().release(R.Address, R.Length);
}

struct Range {
  uint64_t Address, Length, Iova;
};

/// Fills the entry of a region that nobody uses; its key, a new one unless one is to be kept.
uint32_t publish(Node &N, uint32_t Index, Range Of, unsigned Access, uint32_t Domain, uint32_t Keep = 0) {
  SharedRegion &R = N.segment().Regions[Index];
  // Memory that no peer touches can stay where it is.
  bool Offered = Access & (Rights | IBV_ACCESS_MW_BIND);
  auto Guard = pauseService();
  R.Where =
      Offered && Of.Length && N.window().cover(Of.Address, Of.Length) ? Backing::Window : Backing::Process;
  R.Access = Access & (Rights | IBV_ACCESS_MW_BIND);
  R.Domain = Domain;
  R.Address = Of.Address;
  R.Iova = Of.Iova;
  R.Length = Of.Length;
  uint32_t Key = Keep ? Keep : N.nextKey(Index);
  R.Key = Key;
  return Key;
}

ibv_mr *registerRegion(ibv_pd *Pd, void *Addr, size_t Length, uint64_t Iova, unsigned Access) {
  auto Address = reinterpret_cast<uint64_t>(Addr);
  // The card translates pages: peers' addresses differ from the program's by whole ones.
  if (!valid(Access) || (Address ^ Iova) % PageSize) {
    errno = EINVAL;
    return nullptr;
  }
  if (!Window::isPinnable(Address, Length, isWritten(Access))) {
    errno = EFAULT;
    return nullptr;
  }
  Node &N = nodeOf(Pd->context);
  uint32_t Index = N.Regions.take();
  if (Index == IndexPool::Full) {
    errno = ENOMEM;
    return nullptr;
  }
  N.window().keep(Address, Length);
  uint32_t Key = publish(N, Index, {Address, Length, Access & IBV_ACCESS_ZERO_BASED ? 0 : Iova}, Access,
                         Domain::of(Pd)->Number);
  Domain::of(Pd)->Users++;
  return new ibv_mr{Pd->context, Pd, Addr, Length, Index, Key, Key};
}

/// Takes the key away. Nobody uses the region when this returns. A peer that was killed in the middle of a
/// copy is not waited for; one that is stopped is given a few seconds.
void withdraw(Node &N, uint32_t Index) {
  SharedSegment &Segment = N.segment();
  Segment.Regions[Index].Key = 0;
  N.passThroughQueuePairs();
  Presence::awaitAll(Segment, N.QueuePairs.end());
  auto Limit = Clock::now() + std::chrono::seconds(5);
  for (uint32_t I = 0, End = Segment.VisitorsEnd; I < End; ++I) {
    SharedVisitor &V = Segment.Visitors[I];
    for (uint32_t Look = 1; V.Pid && V.Uses[Index] && Clock::now() < Limit; ++Look) {
      if (isLookToAskAt(Look) && processGone(V.Pid))
        break;
      giveWay();
    }
  }
}

} // namespace

extern "C" {

ibv_mr *ibv_reg_mr(ibv_pd *Pd, void *Addr, size_t Length, int Access) {
  return registerRegion(Pd, Addr, Length, reinterpret_cast<uint64_t>(Addr), static_cast<unsigned>(Access));
}

ibv_mr *ibv_reg_mr_iova(ibv_pd *Pd, void *Addr, size_t Length, uint64_t Iova, int Access) {
  return registerRegion(Pd, Addr, Length, Iova, static_cast<unsigned>(Access));
}

ibv_mr *ibv_reg_mr_iova2(ibv_pd *Pd, void *Addr, size_t Length, uint64_t Iova, unsigned Access) {
  return registerRegion(Pd, Addr, Length, Iova, Access);
}

int ibv_rereg_mr(ibv_mr *Mr, int Flags, ibv_pd *Pd, void *Addr, size_t Length, int Access) {
  Node &N = nodeOf(Mr->context);
  SharedRegion &R = N.segment().Regions[Mr->handle];
  bool Moves = Flags & IBV_REREG_MR_CHANGE_TRANSLATION, NewRights = Flags & IBV_REREG_MR_CHANGE_ACCESS,
       NewDomain = Flags & IBV_REREG_MR_CHANGE_PD;
  auto Address = reinterpret_cast<uint64_t>(Addr);
  if (Flags & ~IBV_REREG_MR_FLAGS_SUPPORTED || !Flags || (Moves && (!Addr || !Length)) ||
      (NewDomain && !Pd) || (Access && !NewRights) || (NewRights && !valid(static_cast<unsigned>(Access)))) {
    errno = EINVAL;
    return IBV_REREG_MR_ERR_INPUT;
  }
  unsigned NewAccess = NewRights ? static_cast<unsigned>(Access) : R.Access;
  if ((Moves || NewRights) &&
      !Window::isPinnable(Moves ? Address : R.Address, Moves ? Length : R.Length, isWritten(NewAccess))) {
    errno = EFAULT;
    return IBV_REREG_MR_ERR_INPUT;
  }
  if (binding::isBound(N, Mr->rkey)) {
    errno = EBUSY;
    return IBV_REREG_MR_ERR_INPUT;
  }
  if (check::Enabled && (Moves || NewDomain))
    N.forEachQueuePair([=](QueuePair &Q) { check::reregistered(Q, Mr->lkey); });
  withdraw(N, Mr->handle);
  if (Moves)
    giveUp(N, R);
  Range Of = Moves ? Range{Address, Length, Access & IBV_ACCESS_ZERO_BASED ? 0 : Address}
                   : Range{R.Address, R.Length, R.Iova};
  if (Moves)
    N.window().keep(Address, Length);
  if (NewDomain) {
    Domain::of(Mr->pd)->Users--;
    Domain::of(Pd)->Users++;
    Mr->pd = Pd;
  }
  if (Moves)
    Mr->addr = Addr, Mr->length = Length;
  Mr->lkey = Mr->rkey =
      publish(N, Mr->handle, Of, NewAccess, Domain::of(Mr->pd)->Number, Moves || NewDomain ? 0 : Mr->rkey);
  return 0;
}

int ibv_dereg_mr(ibv_mr *Mr) {
  Node &N = nodeOf(Mr->context);
  if (binding::isBound(N, Mr->rkey))
    return EBUSY;
  if (check::Enabled)
    N.forEachQueuePair([=](QueuePair &Q) { check::deregistered(Q, Mr->lkey); });
  withdraw(N, Mr->handle);
  giveUp(N, N.segment().Regions[Mr->handle]);
  N.Regions.giveBack(Mr->handle);
  Domain::of(Mr->pd)->Users--;
  delete Mr;
  return 0;
}
}
