// Random histories of the queue, the store and the sequentially consistent memory, each checked for a
// linearisation.
#include "rdma/objects/barrier.h"
#include "rdma/objects/fifo.h"
#include "rdma/objects/kvstore.h"
#include "rdma/objects/sc.h"
#include "test/objects/Group.h"
#include "test/objects/History.h"

#include <algorithm>
#include <cstdio>

namespace rdma::objects::test {

namespace {

using namespace std::chrono_literals;

/// What a thread did, by round and by what the calls are about.
class diary {
public:
  explicit diary(const member &M) : M(M) {}
  template <class Do> void write(std::uint64_t Round, std::uint64_t About, call C, Do &&Act) {
    C.Begin = now();
    Act(C);
    C.End = now();
    write(Round, About, C);
  }
  void write(std::uint64_t Round, std::uint64_t About, const call &C) {
    Text += std::to_string(Round) + " " + std::to_string(About) + " " + C.text() + "\n";
  }
  ~diary() {
    std::size_t At = 0;
    for (std::size_t End; (End = Text.find('\n', At)) != std::string::npos; At = End + 1)
      M.say(Text.substr(At, End - At));
  }

private:
  const member &M;
  std::string Text;
};

/// How many calls a thread makes in a round: as many as usual, but all together no more than a check takes.
unsigned share(const member &M, unsigned Usual) {
  constexpr unsigned Together = 48;
  return std::clamp(Together / (M.Plan.Nodes * M.Plan.Threads), 1u, Usual);
}

/// Runs Body as the nodes and checks the history of each round and thing.
template <class Model>
bool checked(const plan &Plan, const char *Name, const std::function<void(member &)> &Body) {
  outcome Result = runGroup(Plan, Body);
  if (!Result.Good)
    return false;
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::vector<call>> Histories;
  for (const std::string &Line : Result.Lines) {
    unsigned long long Round, About;
    int Length = 0;
    call C;
    CHECK(sscanf(Line.c_str(), "%llu %llu %n", &Round, &About, &Length) == 2);
    CHECK(call::read(Line.substr(static_cast<std::size_t>(Length)), C));
    Histories[{Round, About}].push_back(C);
  }
  CHECK(Histories.size() >= Plan.Rounds);
  for (const auto &[Of, Calls] : Histories) {
    CHECK(Calls.size() <= 64);
    if (linearisation<Model>::exists(Calls))
      continue;
    fprintf(stderr, "%s: round %llu is not linearisable:\n", Name, static_cast<unsigned long long>(Of.first));
    for (const call &C : Calls)
      fprintf(stderr, "  %s\n", C.text().c_str());
    return false;
  }
  return true;
}

/// A queue that reserves a cell before it fills it: a taker may come in between.
class naive_fifo : public channel {
public:
  naive_fifo(std::string Name, manager &Manager, node_id Host, std::size_t Cells)
      : channel(std::move(Name), Manager), Cells(Cells) {
    if (me() == Host)
      own("q", (2 + Cells) * sizeof(word));
    At = &other(Host, "q", (2 + Cells) * sizeof(word));
    join();
  }
  status enqueue(std::uint32_t Value) {
    word Ticket;
    if (status S = owner().here().fetch_add(Ticket, At->word_at(1), 1); S != status::ok)
      return S;
    return owner().here().put_word(At->word_at(2 + Ticket % Cells), Value);
  }
  status dequeue(std::uint32_t &Value) {
    endpoint &Here = owner().here();
    for (;;) {
      word First, Last, Held;
      bool Done;
      OK(Here.load(First, *At));
      OK(Here.load(Last, At->word_at(1)));
      if (First >= Last)
        return status::empty;
      OK(Here.load(Held, At->word_at(2 + First % Cells)));
      OK(Here.compare_exchange(First, *At, First + 1, Done));
      Value = static_cast<std::uint32_t>(Held);
      if (Done)
        return status::ok;
    }
  }

private:
  std::size_t Cells;
  const remote *At;
};

template <class Fifo> void queueRounds(member &M) {
  manager Here(M.Hosts, M.Me, M.settings());
  barrier Meet("meet", Here);
  Fifo Queue("queue", Here, 0, queue_model::Capacity);
  Here.wait_for_ready(60s);
  inThreads(Here, [&](unsigned Index) {
    diary Diary(M);
    auto Draw = M.random(Index);
    std::uint32_t Own = static_cast<std::uint32_t>(Here.position({M.Me, Index}) + 1) << 20;
    auto Take = [&](std::uint64_t Round) {
      status S = status::ok;
      Diary.write(Round, 0, {0, 0, queue_model::Dequeue, 0, 0, false}, [&](call &C) {
        std::uint32_t Value = 0;
        S = Queue.dequeue(Value);
        C.Answer = Value;
        C.Found = S == status::ok;
      });
      if (S != status::empty)
        OK(S);
      return S == status::ok;
    };
    for (std::uint64_t Round = 0; Round < M.Plan.Rounds; ++Round) {
      // Every second time it becomes full, which the naive one does not notice.
      const unsigned Takes = std::is_same_v<Fifo, fifo> && Round % 2 ? 4 : 2;
      for (unsigned I = 0; I < share(M, 4); ++I)
        if (Draw() % Takes) {
          Diary.write(Round, 0, {0, 0, queue_model::Enqueue, ++Own, 0, false}, [&](call &C) {
            status S = Queue.enqueue(Own);
            if (S != status::full)
              OK(S);
            C.Found = S == status::ok;
          });
        } else {
          (void)Take(Round);
        }
      OK(Meet.wait());
      if (Here.position({M.Me, Index}) == Round % (M.Plan.Nodes * M.Plan.Threads))
        while (Take(Round)) // the next round begins with an empty queue
          ;
      OK(Meet.wait());
    }
  });
}

/// Updates that overlap: each is a call from its start to its end, as if of a thread of its own.
template <class Store> class updates_at_once {
public:
  explicit updates_at_once(Store &S) : S(S) {
    for (auto &O : Open)
      O = std::make_unique<typename Store::updating>(S);
  }
  void round(diary &Diary, std::uint64_t Round, std::uint64_t Keys, std::uint64_t &Own) {
    std::array<call, Count> Calls;
    for (std::size_t I = 0; I < Count; ++I) {
      Calls[I] = {now(), 0, key_model::Update, ++Own, 0, false};
      S.update_async(Own % Keys, {Own, Own * 3, Own * 7}, *Open[I]);
    }
    for (std::size_t I = Count; I > 0; --I) { // the last one first: it needs the others to go on
      call &C = Calls[I - 1];
      C.Found = Open[I - 1]->get();
      C.End = now();
      Diary.write(Round, C.Argument % Keys, C);
    }
  }

private:
  static constexpr std::size_t Count = 3;
  Store &S;
  std::array<std::unique_ptr<typename Store::updating>, Count> Open;
};

/// Settled: keys are inserted and looked up only, and erased when every node has done all it was told.
void storeRounds(member &M, const kv_options &Options, bool Settled = false, bool Async = false) {
  const std::uint64_t Keys = share(M, 2) < 2 ? 4 : 2; // of an update's three calls each, too
  manager Here(M.Hosts, M.Me, M.settings());
  barrier Meet("meet", Here);
  kvstore<std::uint64_t, std::array<std::uint64_t, 3>> Store("store", Here, Options);
  Here.wait_for_ready(60s);
  inThreads(Here, [&](unsigned Index) {
    diary Diary(M);
    auto Draw = M.random(Index);
    std::uint64_t Own = (Here.position({M.Me, Index}) + 1) << 20;
    updates_at_once AtOnce(Store);
    auto Act = [&](std::uint64_t Round, std::uint64_t Key, int Kind) {
      Diary.write(Round, Key, {0, 0, Kind, ++Own, 0, false}, [&](call &C) {
        if (Kind == key_model::Lookup) {
          auto Value = Store.lookup(Key);
          C.Found = Value.has_value();
          if (Value) {
            CHECK((*Value)[1] == (*Value)[0] * 3 && (*Value)[2] == (*Value)[0] * 7);
            C.Answer = (*Value)[0];
          }
        } else if (Kind == key_model::Erase) {
          C.Found = Store.erase(Key);
        } else {
          std::array<std::uint64_t, 3> Value = {Own, Own * 3, Own * 7};
          C.Found = Kind == key_model::Insert ? Store.insert(Key, Value) : Store.update(Key, Value);
        }
      });
    };
    for (std::uint64_t Round = 0; Round < M.Plan.Rounds; ++Round) {
      // Calls that all overlap are dear to check: of many threads only the first of each node.
      if (Async && (share(M, 2) > 1 || Index == 0))
        AtOnce.round(Diary, Round, Keys, Own);
      for (unsigned I = 0; I < share(M, Async ? 2 : 5); ++I) {
        std::uint64_t Choice = Draw() % 8;
        Act(Round, Draw() % Keys,
            Settled      ? Choice < 5 ? key_model::Lookup : key_model::Insert
            : Choice < 3 ? key_model::Lookup
            : Choice < 5 ? key_model::Update
            : Choice < 7 ? key_model::Insert
                         : key_model::Erase);
      }
      OK(Meet.wait());
      if (Settled)
        std::this_thread::sleep_for(20ms);
      if (Here.position({M.Me, Index}) == Round % (M.Plan.Nodes * M.Plan.Threads))
        for (std::uint64_t Key = 0; Key < Keys; ++Key)
          Act(Round, Key, key_model::Lookup), Act(Round, Key, key_model::Erase);
      OK(Meet.wait());
      if (Settled)
        std::this_thread::sleep_for(20ms);
    }
  });
}

void memoryRounds(member &M) {
  manager Here(M.Hosts, M.Me, M.settings());
  barrier Meet("meet", Here);
  std::deque<sc<std::uint64_t>> Words;
  for (unsigned I = 0; I < 2; ++I)
    Words.emplace_back("word" + std::to_string(I), Here, I % M.Plan.Nodes);
  Here.wait_for_ready(60s);
  inThreads(Here, [&](unsigned Index) {
    diary Diary(M);
    auto Draw = M.random(Index);
    std::uint64_t Own = (Here.position({M.Me, Index}) + 1) << 20;
    auto Act = [&](std::uint64_t Round, int Word, int Kind, std::uint64_t Argument) {
      Diary.write(Round, 0, {0, 0, Word * 8 + Kind, Argument, 0, true}, [&](call &C) {
        sc<std::uint64_t> &At = Words[static_cast<std::size_t>(Word)];
        if (Kind == memory_model::Read)
          C.Answer = At.read();
        else if (Kind == memory_model::Write)
          At.write(Argument);
        else
          C.Answer = At.fetch_add(Argument);
      });
    };
    for (std::uint64_t Round = 0; Round < M.Plan.Rounds; ++Round) {
      for (unsigned I = 0; I < share(M, 4); ++I) {
        int Word = static_cast<int>(Draw() % 2), Kind = static_cast<int>(Draw() % 3);
        Act(Round, Word, Kind, Kind == memory_model::Add ? 1 : ++Own);
      }
      OK(Meet.wait());
      if (M.Me == 0 && Index == 0) // zero again, outside the history
        for (auto &Word : Words)
          Word.write(0);
      OK(Meet.wait());
    }
  });
}

template <class Model> add history(const char *Name, std::function<void(member &)> Body) {
  return add(Name,
             std::function<bool(const plan &)>([=](const plan &P) { return checked<Model>(P, Name, Body); }));
}

add A = history<queue_model>("fifo", queueRounds<fifo>),
    B = history<queue_model>("fifo-naive-bug", queueRounds<naive_fifo>),
    C = history<key_model>("kv", [](member &M) { storeRounds(M, {}); }),
    D = history<key_model>("kv-nofence-bug", [](member &M) { storeRounds(M, {.fence = false}); }),
    E = history<key_model>("kv-earlyack-bug", [](member &M) { storeRounds(M, {.early_ack = true}, true); }),
    F = history<memory_model>("sc", memoryRounds),
    G = history<key_model>("kv-async", [](member &M) { storeRounds(M, {}, false, true); }),
    H = history<key_model>("kv-async-nofence-bug",
                           [](member &M) { storeRounds(M, {.fence = false}, false, true); }),
    I = history<key_model>("kv-lateindex-bug", [](member &M) { storeRounds(M, {.late_index = true}, true); });

} // namespace

} // namespace rdma::objects::test
