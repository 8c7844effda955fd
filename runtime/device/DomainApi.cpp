// Protection domains, and what may stand in their place: parent domains, with or without a thread domain.
#include "runtime/device/Context.h"

using namespace rdma::device;

namespace rdma::device {

namespace {

ibv_pd *create(ibv_context *Public, uint32_t Number) {
  auto *D = new Domain;
  D->Base.context = Public;
  D->Base.handle = D->Number = Number;
  return &D->Base;
}

/// A thread domain promises that its objects are used by one thread at a time. Locks stay: they cost little.
struct ThreadDomain {
  ibv_td Base = {};
  std::atomic<uint32_t> Users{0};
  static ThreadDomain *of(ibv_td *Td) { return reinterpret_cast<ThreadDomain *>(Td); }
};

} // namespace

ibv_td *createThreadDomain(ibv_context *Public, ibv_td_init_attr *Init) {
  if (Init->comp_mask) {
    errno = EOPNOTSUPP;
    return nullptr;
  }
  auto *T = new ThreadDomain;
  T->Base.context = Public;
  return &T->Base;
}

int destroyThreadDomain(ibv_td *Td) {
  if (ThreadDomain::of(Td)->Users)
    return EBUSY;
  delete ThreadDomain::of(Td);
  return 0;
}

ibv_pd *createParentDomain(ibv_context *Public, ibv_parent_domain_init_attr *Init) {
  // The device asks for no memory, so the program's allocators have nothing to do.
  constexpr uint32_t Known = IBV_PARENT_DOMAIN_INIT_ATTR_ALLOCATORS | IBV_PARENT_DOMAIN_INIT_ATTR_PD_CONTEXT;
  if (!Init->pd || Init->comp_mask & ~Known) {
    errno = Init->pd ? EOPNOTSUPP : EINVAL;
    return nullptr;
  }
  ibv_pd *Pd = create(Public, Domain::of(Init->pd)->Number);
  Domain *D = Domain::of(Pd);
  D->Parent = Domain::of(Init->pd);
  D->Parent->Users++;
  if (Init->td)
    (D->ThreadUsers = &ThreadDomain::of(Init->td)->Users)->fetch_add(1);
  return Pd;
}

} // namespace rdma::device

extern "C" {

ibv_pd *ibv_alloc_pd(ibv_context *Public) { return create(Public, nodeOf(Public).NextDomain++); }

int ibv_dealloc_pd(ibv_pd *Pd) {
  Domain *D = Domain::of(Pd);
  if (D->Users)
    return EBUSY;
  if (D->Parent)
    D->Parent->Users--;
  if (D->ThreadUsers)
    D->ThreadUsers->fetch_sub(1);
  delete D;
  return 0;
}
}
