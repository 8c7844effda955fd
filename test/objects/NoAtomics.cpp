// A device without remote atomics: objects that need them say so when they are made, the others work.
#include "rdma/objects/accounts.h"
#include "rdma/objects/barrier.h"
#include "rdma/objects/fifo.h"
#include "rdma/objects/kvstore.h"
#include "rdma/objects/locks.h"
#include "rdma/objects/power.h"
#include "rdma/objects/ring.h"
#include "rdma/objects/sc.h"
#include "rdma/objects/vars.h"
#include "test/objects/Group.h"

#include <dlfcn.h>

static bool HasAtomics = true;

/// The device's own, which says what a card without atomics says.
extern "C" int ibv_query_device(ibv_context *Device, ibv_device_attr *Attr) {
  static auto *Next = reinterpret_cast<decltype(&ibv_query_device)>(dlsym(RTLD_NEXT, "ibv_query_device"));
  int Error = Next(Device, Attr);
  if (!HasAtomics)
    Attr->atomic_cap = IBV_ATOMIC_NONE;
  return Error;
}

namespace rdma::objects::test {

namespace {

using namespace std::chrono_literals;

template <class Make> void mustRefuse(const char *Name, Make Object) {
  try {
    Object(Name);
  } catch (const error &E) {
    CHECK(E.channel == Name || E.channel.starts_with(std::string(Name) + "/"));
    CHECK(std::string(E.what()).ends_with("the device has no remote atomics"));
    return;
  }
  fail(std::string(Name) + " was made");
}

void noAtomics(member &M) {
  HasAtomics = false;
  manager Here(M.Hosts, M.Me, M.settings());
  CHECK(Here.atomics() == IBV_ATOMIC_NONE);
  mustRefuse("atomic", [&](auto Name) { atomic_var V(Name, Here, 0); });
  mustRefuse("weak", [&](auto Name) { weak_lock L(Name, Here, 0); });
  mustRefuse("strong", [&](auto Name) { strong_lock L(Name, Here, 0); });
  mustRefuse("node", [&](auto Name) { node_lock L(Name, Here, 0); });
  mustRefuse("ticket", [&](auto Name) { ticket_lock L(Name, Here, 0, strength::weak); });
  mustRefuse("tas", [&](auto Name) { tas_lock L(Name, Here, 0); });
  mustRefuse("fifo", [&](auto Name) { fifo F(Name, Here, 0, 8); });
  mustRefuse("word", [&](auto Name) { sc<long> W(Name, Here, 0); });
  mustRefuse("board", [&](auto Name) { locked<long> B(Name, Here, 0); });
  mustRefuse("store", [&](auto Name) { kvstore<int, int> S(Name, Here); });
  mustRefuse("bank", [&](auto Name) { accounts A(Name, Here, 8, 100); });
  barrier Meet("meet", Here);
  shared_var<int> Shared("shared", Here, 0);
  sst<int> Rows("rows", Here);
  owned_var<std::array<long, 3>> Owned("owned", Here, 0);
  Here.wait_for_ready(60s);
  inThreads(Here, [&](unsigned Index) {
    if (M.Me == 0 && Index == 0) {
      Shared.store(7);
      OK(Shared.push());
      OK(Owned.store({1, 2, 3}));
      OK(Owned.push());
    }
    OK(Rows.store_mine(1));
    OK(Rows.push_broadcast());
    OK(Meet.wait());
    unsigned Sum = 0;
    for (int Row : Rows)
      Sum += static_cast<unsigned>(Row);
    CHECK(Shared.load() == 7 && Sum == Here.nodes() * Here.threads());
    CHECK(Owned.load() == (std::array<long, 3>{1, 2, 3}));
    OK(Meet.wait());
  });
}

add A("no-atomics", noAtomics);

} // namespace

} // namespace rdma::objects::test
