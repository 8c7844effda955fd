// Mixed-size data, values behind a lock, accounts.
#include "rdma/objects/accounts.h"
#include "rdma/objects/barrier.h"
#include "rdma/objects/msw.h"
#include "rdma/objects/sc.h"
#include "rdma/objects/vars.h"
#include "test/objects/Group.h"

namespace rdma::objects::test {

namespace {

using namespace std::chrono_literals;

struct large {
  std::array<std::uint64_t, 20> Words;
  static large of(std::uint64_t N) {
    large L;
    for (std::size_t I = 0; I < L.Words.size(); ++I)
      L.Words[I] = N * (I + 1);
    return L;
  }
  bool good() const {
    for (std::size_t I = 0; I < Words.size(); ++I)
      if (Words[I] != Words[0] * (I + 1))
        return false;
    return true;
  }
};

/// Node 0 rewrites its copy without waiting and sends it; the others read all the time. No value that nobody
/// wrote.
template <check Check> void tornReads(member &M) {
  manager Here(M.Hosts, M.Me, M.settings());
  barrier Meet("meet", Here);
  msw<large, Check> Value("value", Here);
  shared_var<std::uint64_t> End("end", Here);
  Here.wait_for_ready(60s);
  std::atomic<std::uint64_t> Reads{0};
  inThreads(Here, [&](unsigned Index) {
    if (M.Me == 0 && Index == 0) {
      for (std::uint64_t I = 1; I <= M.Plan.Rounds; ++I) {
        ack Done;
        Value.write(large::of(I));
        OK(Value.put(Here.all(), &Done));
        if (Check == check::guards)
          OK(Done.wait());
        if (Check == check::hash && I % 8)
          Value.write(large::of(I + 1000000)); // under the NIC
        OK(Done.wait());
      }
      End.store(1);
      OK(End.push());
    } else if (M.Me != 0) {
      waiting Wait(Here.here());
      std::uint64_t Good = 0, Looks = 0;
      while (!End.load()) {
        if (auto Seen = Value.try_read()) {
          CHECK(Seen->good());
          ++Good;
        }
        if (++Looks % 4 == 0)
          OK(Wait.step());
        Wait.again();
      }
      Reads += Good;
    }
    OK(Meet.wait());
  });
}

/// The same until each reader has seen as many whole values as there are rounds.
void manyReads(member &M) {
  manager Here(M.Hosts, M.Me, M.settings());
  msw<large> Value("value", Here);
  sst<std::uint64_t> Seen("seen", Here);
  Here.wait_for_ready(60s);
  auto AllSaw = [&] {
    for (std::size_t Row = M.Plan.Threads; Row < Seen.size(); ++Row)
      if (!Seen[Row])
        return false;
    return true;
  };
  inThreads(Here, [&](unsigned Index) {
    if (M.Me == 0 && Index == 0)
      for (std::uint64_t I = 1; !AllSaw(); ++I) {
        ack Done;
        Value.write(large::of(I));
        OK(Value.put(Here.all(), &Done));
        if (I % 8)
          Value.write(large::of(I + 1000000)); // under the NIC
        OK(Done.wait());
      }
    if (M.Me == 0)
      return;
    waiting Wait(Here.here());
    for (std::uint64_t Good = 0, Looks = 0; Good < M.Plan.Rounds;) {
      if (auto Found = Value.try_read()) {
        CHECK(Found->good());
        ++Good;
      }
      if (++Looks % 1024 == 0)
        OK(Wait.step());
      Wait.again();
    }
    OK(Seen.store_mine(1));
    OK(Seen.push_broadcast());
  });
}

void behindLock(member &M) {
  manager Here(M.Hosts, M.Me, M.settings());
  barrier Meet("meet", Here);
  struct sum {
    std::uint64_t Count, Total;
    std::array<std::uint64_t, 12> Last;
  };
  locked<sum> Sum("sum", Here, M.Plan.Nodes - 1);
  Here.wait_for_ready(60s);
  inThreads(Here, [&](unsigned) {
    std::uint64_t Before = 0;
    for (std::uint64_t I = 1; I <= M.Plan.Rounds; ++I) {
      std::uint64_t Count = Sum.with([&](sum &S) {
        S.Total += I;
        for (auto &L : S.Last)
          CHECK(L == S.Count), L = S.Count + 1;
        return ++S.Count;
      });
      CHECK(Count > Before);
      Before = Count;
    }
    OK(Meet.wait());
    std::uint64_t Threads = M.Plan.Nodes * M.Plan.Threads, R = M.Plan.Rounds;
    Sum.with([&](sum &S) { CHECK(S.Count == R * Threads && S.Total == R * (R + 1) / 2 * Threads); });
    OK(Meet.wait());
  });
}

void bank(member &M) {
  constexpr std::size_t Count = 20;
  constexpr std::int64_t Initial = 1000;
  manager Here(M.Hosts, M.Me, M.settings());
  barrier Meet("meet", Here);
  accounts Bank("bank", Here, Count, Initial, 3);
  accounts Pair("pair", Here, 2, Initial);
  shared_var<std::int64_t> Unused("unused", Here);
  sst<std::int64_t> Sums("sums", Here);
  Here.wait_for_ready(60s);
  inThreads(Here, [&](unsigned Index) {
    auto Draw = M.random(Index);
    for (std::uint64_t I = 0; I < M.Plan.Rounds; ++I) {
      std::int64_t Amount = static_cast<std::int64_t>(Draw() % 100), A, B;
      OK(Bank.transfer(Draw() % Count, Draw() % Count, Amount));
      OK(Pair.transfer(I % 2, 1 - I % 2, Amount));
      OK(Pair.balances(0, 1, A, B));
      CHECK(A + B == 2 * Initial);
    }
    OK(Meet.wait());
    OK(Sums.store_mine(Index == 0 ? Bank.sum_here() : 0));
    OK(Sums.push_broadcast());
    OK(Meet.wait());
    std::int64_t Sum = 0;
    for (std::size_t I = 0; I < Sums.size(); ++I)
      Sum += Sums[I];
    CHECK(Sum == static_cast<std::int64_t>(Count) * Initial);
    OK(Meet.wait());
  });
}

add A("msw", tornReads<check::hash>), B("msw-guards", tornReads<check::guards>), C("locked", behindLock),
    D("accounts", bank), E("msw-reads", manyReads);

} // namespace

} // namespace rdma::objects::test
