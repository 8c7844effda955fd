// Operations, acks and fences: random operations of every kind with several acks; every result is looked at.
#include "rdma/objects/channel.h"
#include "test/objects/Group.h"

#include <array>

namespace rdma::objects::test {

namespace {

constexpr std::size_t Acks = 8, Words = 32;

/// A thread's own words on every node: it puts rising numbers there and gets them back.
struct board : channel {
  board(manager &M) : channel("board", M) {
    Count = M.nodes() * M.threads() * Words;
    Mine = own("words", Count * sizeof(word));
    Added = own("added", sizeof(word));
    for (node_id N : M.all()) {
      At.push_back(&other(N, "words", Count * sizeof(word)));
      Counter.push_back(&other(N, "added", sizeof(word)));
    }
    join();
  }
  std::size_t Count;
  region Mine, Added;
  std::vector<const remote *> At, Counter;
};

/// One thread's share.
class operator_of {
public:
  operator_of(member &M, manager &Manager, board &Board, unsigned Index)
      : E(Manager.here()), Board(Board), Draw(M.random(Index)), Nodes(Manager.nodes()),
        First(Manager.position({Manager.me(), Index}) * Words), Source(Manager.allocate(Acks * 8).words()),
        Into(Manager.allocate(Acks * 8).words()), Written(Nodes, std::vector<word>(Words, 0)) {}

  void run(std::uint64_t Rounds) {
    for (std::uint64_t I = 0; I < Rounds; ++I)
      step();
    for (std::size_t K = 0; K < Acks; ++K)
      settle(K);
    for (node_id N = 0; N < Nodes; ++N)
      for (std::size_t W = 0; W < Words; ++W)
        lookAt(N, W);
  }
  std::uint64_t additions() const { return Additions; }

private:
  struct expected {
    enum { nothing, put, get, add } Kind = nothing;
    node_id Node = 0;
    std::size_t Word = 0;
    word Low = 0;
  };

  void settle(std::size_t K) {
    OK(E.wait(Ack[K]));
    CHECK(Ack[K].done());
    if (Open[K].Kind == expected::get)
      CHECK(load(Into[K]) == Open[K].Low);
    if (Open[K].Kind == expected::add)
      CHECK(load(Into[K]) >= Open[K].Low);
    Open[K] = {};
  }

  void lookAt(node_id N, std::size_t W) {
    word Seen;
    OK(E.load(Seen, Board.At[N]->word_at(First + W)));
    CHECK(Seen == Written[N][W]);
  }

  void step() {
    std::size_t K = Draw() % Acks;
    settle(K);
    node_id N = static_cast<node_id>(Draw() % Nodes);
    std::size_t W = Draw() % Words;
    const remote To = Board.At[N]->word_at(First + W);
    switch (Draw() % 5) {
    case 0: // the source stays as it is until the ack
      store(Source[K], ++Value);
      OK(E.put(To, &Source[K], sizeof(word), &Ack[K]));
      Written[N][W] = Value;
      Open[K] = {expected::put, N, W, 0};
      break;
    case 1:
      OK(E.put_word(To, ++Value));
      Written[N][W] = Value;
      break;
    case 2: { // a get comes behind the earlier puts of its queue pair; a later put may overtake it
      OK(E.get(&Into[K], To, sizeof(word), Ack[K]));
      Open[K] = {expected::get, N, W, Written[N][W]};
      if (Draw() % 2 == 0)
        settle(K);
      else
        Written[N][W] = Value + 1, OK(E.put_word(To, ++Value, nullptr, fenced));
      break;
    }
    case 3:
      OK(E.fetch_add(&Into[K], *Board.Counter[N], 1, Ack[K]));
      Open[K] = {expected::add, N, 0, Seen[N]};
      ++Additions;
      break;
    default:
      OK(E.fence(node_set{N}));
    }
  }

  endpoint &E;
  board &Board;
  std::mt19937_64 Draw;
  unsigned Nodes;
  std::size_t First;
  word *Source, *Into, Value = 0;
  std::vector<std::vector<word>> Written;
  std::array<ack, Acks> Ack;
  std::array<expected, Acks> Open;
  std::map<node_id, word> Seen;
  std::uint64_t Additions = 0;
};

void engine(member &M) {
  manager Here(M.Hosts, M.Me, M.settings());
  board Board(Here);
  Here.wait_for_ready(std::chrono::seconds(60));
  std::atomic<std::uint64_t> Added{0};
  inThreads(Here, [&](unsigned Index) {
    operator_of O(M, Here, Board, Index);
    O.run(M.Plan.Rounds);
    Added += O.additions();
  });
}

add Engine("engine", engine);

} // namespace

} // namespace rdma::objects::test
