// What is given back: of threads that come and go, and of a membership that ends while something else is
// thrown.
#include "rdma/objects/barrier.h"
#include "test/objects/Group.h"

#include <dlfcn.h>
#include <rdma/rdma_cma.h>
#include <stdexcept>
#include <thread>

namespace {

/// Queue pairs of this process that the objects have made: their calls come by here.
std::atomic<long> QueuePairs = 0;

template <class Call> Call *next(const char *Name) {
  return reinterpret_cast<Call *>(dlsym(RTLD_NEXT, Name));
}

} // namespace

extern "C" {

int rdma_create_qp(rdma_cm_id *Id, ibv_pd *Pd, ibv_qp_init_attr *Init) {
  int Result = next<decltype(rdma_create_qp)>("rdma_create_qp")(Id, Pd, Init);
  QueuePairs += Result == 0;
  return Result;
}

void rdma_destroy_qp(rdma_cm_id *Id) {
  --QueuePairs;
  next<decltype(rdma_destroy_qp)>("rdma_destroy_qp")(Id);
}
}

namespace rdma::objects::test {

namespace {

using namespace std::chrono_literals;

/// Threads that come and go use what those before them have given back, also on the other nodes: queue pairs,
/// and memory of an arena that has room for a few.
void comeAndGo(member &M) {
  options O;
  O.memory = std::size_t(16) << 10;
  manager Here(M.Hosts, M.Me, O);
  barrier Meet("meet", Here);
  Here.wait_for_ready(60s);
  auto Round = [&](auto &&Between) {
    Here.attach_thread();
    OK(Meet.wait());
    Between();
    Here.detach_thread();
  };
  for (std::uint64_t I = 0; I < M.Plan.Rounds; ++I)
    Round([] {});
  Round([&] {
    // Of each node's last round the other nodes hear a little later.
    auto Until = std::chrono::steady_clock::now() + 30s;
    long Most = long(2 * M.Plan.Nodes) + M.Plan.Nodes - 1;
    while (QueuePairs > Most && std::chrono::steady_clock::now() < Until)
      std::this_thread::sleep_for(1ms);
    if (QueuePairs > Most)
      fail(std::to_string(QueuePairs) + " queue pairs");
    OK(Meet.wait());
  });
}

/// A membership that begins and ends well, while an exception is on its way that has nothing to do with it.
void thrownBefore(member &M) {
  struct late {
    member &M;
    ~late() {
      manager Here(M.Hosts, M.Me, M.settings());
      barrier Meet("meet", Here, std::vector<thread_id>{{0, 0}, {1, 0}});
      Here.wait_for_ready(60s);
      Here.attach_thread();
      OK(Meet.wait());
      if (M.Me == 0)
        return;
      std::this_thread::sleep_for(50ms); // node 0 waits at its end
      OK(Here.fence());
      CHECK(Here.health() == status::ok);
    }
  };
  try {
    late Late{M};
    throw std::runtime_error("of the program's own");
  } catch (const std::runtime_error &) {
  }
}

add A("threads-come-and-go", comeAndGo), B("thrown-before", thrownBefore);

} // namespace

} // namespace rdma::objects::test
