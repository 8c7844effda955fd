// The rows of runtime-compare through libfabric, on its provider for shared memory. Its target has to call
// the library for anything to happen (FI_PROGRESS_MANUAL), so the child does nothing else.
#include "Pair.h"

#include <rdma/fabric.h>
#include <rdma/fi_atomic.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_rma.h>

using namespace bench;

namespace {

constexpr unsigned Batch = 32;

void must(ssize_t Status, const char *What) {
  if (Status)
    fail(What);
}

struct Link {
  explicit Link(Pair &Two);
  void open();

  fi_info *Info;
  fid_domain *Domain;
  fid_ep *Endpoint;
  fid_cq *Cq;
  fid_av *Addresses;
  fid_mr *Region;
  char *Memory = buffer();
  uint64_t RemoteAddress = 0, RemoteKey = 0;
  fi_addr_t There = 0;
};

void Link::open() {
  fi_info *Hints = fi_allocinfo();
  Hints->fabric_attr->prov_name = strdup("shm");
  Hints->caps = FI_MSG | FI_RMA | FI_ATOMIC;
  Hints->ep_attr->type = FI_EP_RDM;
  Hints->domain_attr->mr_mode = FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY;
  Hints->domain_attr->threading = FI_THREAD_DOMAIN;
  must(fi_getinfo(FI_VERSION(1, 14), nullptr, nullptr, 0, Hints, &Info), "fi_getinfo");
  fid_fabric *Fabric;
  must(fi_fabric(Info->fabric_attr, &Fabric, nullptr), "fi_fabric");
  must(fi_domain(Fabric, Info, &Domain, nullptr), "fi_domain");
  must(fi_endpoint(Domain, Info, &Endpoint, nullptr), "fi_endpoint");
  fi_cq_attr CqAttr = {};
  CqAttr.format = FI_CQ_FORMAT_CONTEXT;
  CqAttr.size = 1024;
  must(fi_cq_open(Domain, &CqAttr, &Cq, nullptr), "fi_cq_open");
  fi_av_attr AvAttr = {};
  must(fi_av_open(Domain, &AvAttr, &Addresses, nullptr), "fi_av_open");
  must(fi_ep_bind(Endpoint, &Cq->fid, FI_TRANSMIT | FI_RECV), "fi_ep_bind");
  must(fi_ep_bind(Endpoint, &Addresses->fid, 0), "fi_ep_bind");
  must(fi_enable(Endpoint), "fi_enable");
  must(fi_mr_reg(Domain, Memory, BufferSize, FI_REMOTE_READ | FI_REMOTE_WRITE | FI_READ | FI_WRITE, 0, 1, 0,
                 &Region, nullptr),
       "fi_mr_reg");
}

Link::Link(Pair &Two) {
  open();
  Card Mine;
  bool IsVirtual = Info->domain_attr->mr_mode & FI_MR_VIRT_ADDR;
  Mine.Address = IsVirtual ? reinterpret_cast<uint64_t>(Memory) : 0;
  Mine.Key = fi_mr_key(Region);
  must(fi_getname(&Endpoint->fid, Mine.Name, &Mine.NameSize), "fi_getname");
  Card Remote = Two.exchange(Mine);
  if (fi_av_insert(Addresses, Remote.Name, 1, &There, 0, nullptr) != 1)
    fail("fi_av_insert");
  RemoteAddress = Remote.Address + BufferSize / 2;
  RemoteKey = Remote.Key;
  Two.meet();
}

/// Completions there are now; also moves the library on.
unsigned take(Link &L) {
  fi_cq_entry Done[Batch];
  ssize_t Count = fi_cq_read(L.Cq, Done, Batch);
  if (Count < 0 && Count != -FI_EAGAIN)
    fail("fi_cq_read");
  return Count > 0 ? static_cast<unsigned>(Count) : 0;
}

/// Posts as often as the queue of the provider has no room. Completions taken meanwhile are added to Done.
template <typename Call> void post(Link &L, unsigned &Done, Call &&Once) {
  ssize_t Status;
  while ((Status = Once()) == -FI_EAGAIN)
    Done += take(L);
  must(Status, "a post");
}

ssize_t write(Link &L, size_t Size) {
  return fi_write(L.Endpoint, L.Memory, Size, nullptr, L.There, L.RemoteAddress, L.RemoteKey, nullptr);
}
ssize_t read(Link &L, size_t Size) {
  return fi_read(L.Endpoint, L.Memory, Size, nullptr, L.There, L.RemoteAddress, L.RemoteKey, nullptr);
}
ssize_t fetchAdd(Link &L, size_t) {
  static uint64_t One = 1;
  return fi_fetch_atomic(L.Endpoint, &One, 1, nullptr, L.Memory, nullptr, L.There, L.RemoteAddress,
                         L.RemoteKey, FI_UINT64, FI_SUM, nullptr);
}
using Operation = ssize_t (*)(Link &, size_t);

/// What the parent measures while the child only moves its library on.
template <typename Work> double alone(Work &&Measure) {
  Pair Two;
  Link L(Two);
  if (Two.isPeer()) {
    while (!Two.finished())
      take(L);
    _exit(0);
  }
  double Value = Measure(L);
  Two.finish();
  return Value;
}

double complete(Operation Once) {
  return alone([&](Link &L) {
    unsigned Done = 0;
    return medianTime(20000, [&] {
      post(L, Done, [&] { return Once(L, 8); });
      while (!Done)
        Done += take(L);
      --Done;
    });
  });
}

double many(Operation Once, size_t Size, unsigned Calls, unsigned Count) {
  return alone([&](Link &L) {
    unsigned Done = 0;
    return rate(Calls, Count, [&] {
      for (unsigned I = 0; I < Count; ++I)
        post(L, Done, [&] { return Once(L, Size); });
      while (Done < Count)
        Done += take(L);
      Done -= Count;
    });
  });
}

/// Both take turns. Half a round trip.
template <typename Send, typename Receive> double turns(Send &&Give, Receive &&Get) {
  Pair Two;
  Link L(Two);
  uint64_t Number = 0;
  double Time = medianTime(20000,
                           [&] {
                             ++Number;
                             if (!Two.isPeer())
                               Give(L, Number);
                             Get(L, Number);
                             if (Two.isPeer())
                               Give(L, Number);
                           }) /
                2;
  // The other may still need us to move on.
  while (Two.isPeer() ? !Two.finished() : false)
    take(L);
  if (Two.isPeer())
    _exit(0);
  Two.finish();
  return Time;
}

double writeLatency() {
  return turns(
      [](Link &L, uint64_t Number) {
        unsigned Done = 0;
        post(L, Done,
             [&] { return fi_inject_write(L.Endpoint, &Number, 8, L.There, L.RemoteAddress, L.RemoteKey); });
      },
      [](Link &L, uint64_t Number) {
        auto *Watched = reinterpret_cast<volatile uint64_t *>(L.Memory + BufferSize / 2);
        while (*Watched != Number)
          take(L);
      });
}

double sendLatency() {
  return turns(
      [](Link &L, uint64_t Number) {
        unsigned Done = 0;
        post(L, Done, [&] { return fi_inject(L.Endpoint, &Number, 8, L.There); });
      },
      [](Link &L, uint64_t) {
        unsigned Done = 0;
        post(L, Done, [&] { return fi_recv(L.Endpoint, L.Memory, 8, nullptr, L.There, nullptr); });
        while (!Done)
          Done += take(L);
      });
}

double millions(Operation Once) { return many(Once, 8, 3000, Batch) / 1e6; }
double gigabytes(Operation Once, size_t Size) {
  return many(Once, Size, Size > 4096 ? 100 : 2000, Size > 4096 ? 4 : Batch) * static_cast<double>(Size) /
         1e9;
}

const Row Rows[] = {
    {"write-latency", writeLatency},
    {"write-complete", [] { return complete(write); }},
    {"write-rate", [] { return millions(write); }},
    {"write-rate-single", [] { return millions(write); }},
    {"write-4k", [] { return gigabytes(write, 4096); }},
    {"write-1m", [] { return gigabytes(write, 1 << 20); }},
    {"read-complete", [] { return complete(read); }},
    {"read-4k", [] { return gigabytes(read, 4096); }},
    {"read-1m", [] { return gigabytes(read, 1 << 20); }},
    {"fetch-add-rate", [] { return millions(fetchAdd); }},
    {"send-latency", sendLatency},
};

} // namespace

int main(int Count, char **Arguments) { return run(Rows, Count, Arguments); }
