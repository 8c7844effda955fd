// The store and what it is held against, with a window of operations under way in each thread:
// Settings.Number is the window. Names are store.WHO.WORKLOAD.KEYS.
//
//   ours, nofence  the key-value store, with and without the fence before the lock is given back
//   leaf           keys lie in leaves of 1 KiB: a lookup reads a leaf, an update takes the lock beside it,
//   reads it,
//                  and writes the entry and the lock one behind the other
//   printed        the store's update in the steps of its paper, one after the other
//   rpc            a thread of each node answers requests that are sent to it
#include "Stores.h"
#include "Bench.h"

#include <algorithm>
#include <cmath>

namespace rdma::bench {

namespace {

using namespace std::chrono_literals;

/// Draws keys that are there: all alike, or by Zipf's law with an exponent of 0.99.
class keys {
public:
  keys(bool Skewed, std::mt19937_64 Draw) : Skewed(Skewed), Draw(Draw) {
    double Sum = 0;
    for (std::size_t K = 0; K < Filled; ++K)
      Reach.push_back(Sum += 1 / std::pow(static_cast<double>(K + 1), 0.99));
  }
  word next() {
    if (!Skewed)
      return Draw() % Filled;
    double At = std::uniform_real_distribution<double>(0, Reach.back())(Draw);
    std::size_t Rank =
        static_cast<std::size_t>(std::lower_bound(Reach.begin(), Reach.end(), At) - Reach.begin());
    return std::min(Rank, Filled - 1) * 2654435761u %
           Filled; // neighbours in rank are not neighbours in place
  }
  bool half() { return Draw() & 1; }

private:
  bool Skewed;
  std::mt19937_64 Draw;
  std::vector<double> Reach; ///< by Zipf's law: of each rank and those before it
};

enum class workload { Read, Mixed, Write };

template <class Store, workload Workload, bool Skewed> void windows(member &M) {
  options O = M.settings();
  O.memory = std::size_t(32) << 20;
  O.depth = 1024;
  manager Here(M.Hosts, M.Me, O);
  barrier Meet("meet", Here);
  Store S(Here);
  Here.wait_for_ready(60s);
  inThreads(Here, [&](unsigned Index) {
    S.begin(Meet, Index);
    keys Draw(Skewed, M.random(Index));
    std::vector<std::unique_ptr<typename Store::slot>> Window;
    for (unsigned I = 0; I < Settings.Number; ++I)
      Window.push_back(std::make_unique<typename Store::slot>(S, Index));
    std::size_t Oldest = 0;
    OK(Meet.wait());
    double Rate = rate(
        [&] {
          typename Store::slot &Next = *Window[Oldest];
          Oldest = (Oldest + 1) % Window.size();
          Next.finish();
          bool Write = Workload == workload::Write || (Workload == workload::Mixed && Draw.half());
          Next.start(Write, Draw.next());
        },
        16);
    for (auto &Open : Window)
      Open->finish();
    M.say(std::to_string(Rate));
    OK(Meet.wait());
    Window.clear();
    S.end(Index);
    OK(Meet.wait());
  });
}

void enterOne(const std::string &Who, const char *Row, void (*Run)(member &)) {
  static std::deque<std::string> Names; // which contenders point at
  Names.push_back("store." + Who + "." + Row);
  contenders().push_back({Names.back().c_str(), Run, true});
}

template <class Store> void enterAll(const std::string &Who) {
  enterOne(Who, "read.uniform", windows<Store, workload::Read, false>);
  enterOne(Who, "read.zipf", windows<Store, workload::Read, true>);
  enterOne(Who, "mixed.uniform", windows<Store, workload::Mixed, false>);
  enterOne(Who, "mixed.zipf", windows<Store, workload::Mixed, true>);
  enterOne(Who, "write.uniform", windows<Store, workload::Write, false>);
  enterOne(Who, "write.zipf", windows<Store, workload::Write, true>);
}

const bool Entered = [] {
  enterAll<our_store<true>>("ours");
  enterAll<our_store<false>>("nofence");
  enterAll<leaf_store>("leaf");
  enterAll<rpc_store>("rpc");
  enterOne("printed", "write.uniform", windows<printed_store, workload::Write, false>);
  enterOne("printed", "write.zipf", windows<printed_store, workload::Write, true>);
  return true;
}();

} // namespace

} // namespace rdma::bench
