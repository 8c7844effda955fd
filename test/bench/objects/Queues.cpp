// A queue on node 0, which the other nodes use, one thread each: a value in, a value out. Ours; a thread of
// node 0 that answers messages; and the same words behind a node lock.
#include "Bench.h"
#include "Messages.h"
#include "rdma/objects/fifo.h"
#include "rdma/objects/locks.h"

#include <atomic>
#include <deque>
#include <optional>
#include <thread>

namespace rdma::bench {

namespace {

using namespace std::chrono_literals;

constexpr std::size_t Capacity = 64;

/// Pairs of calls a second, of every node but the first.
template <class Pair> void measure(member &M, barrier &Meet, Pair &&Do) {
  OK(Meet.wait());
  if (M.Me != 0)
    M.say(std::to_string(rate(Do)));
  OK(Meet.wait());
}

void ours(member &M) {
  manager Here(M.Hosts, M.Me, M.settings());
  barrier Meet("meet", Here);
  fifo Queue("queue", Here, 0, Capacity);
  Here.wait_for_ready(60s);
  Here.attach_thread();
  measure(M, Meet, [&] {
    std::uint32_t Taken;
    OK(Queue.enqueue(M.Me));
    OK(Queue.dequeue(Taken)); // there is one: each takes after it has put
  });
}

/// What is asked for, and the answer to it: zero when there is no room, or no value.
struct request {
  word Put, Value;
};

class server {
public:
  explicit server(messages &Net) : Net(Net), Thread([this] { serve(); }) {}
  ~server() {
    Stop = true;
    Thread.join();
  }

private:
  word answer(const request &R) {
    if (R.Put) {
      if (Values.size() == Capacity)
        return 0;
      Values.push_back(R.Value);
      return 1;
    }
    if (Values.empty())
      return 0;
    word Value = Values.front();
    Values.pop_front();
    return Value + 1;
  }
  void serve() {
    patience Wait;
    while (!Stop) {
      bool Any = false;
      for (node_id N : Net.owner().all().without(Net.me())) {
        request R;
        if (!Net.receive(N, 0, &R, sizeof R))
          continue;
        Any = true;
        word Answer = answer(R);
        Net.send(N, 0, &Answer, sizeof Answer);
      }
      Any ? Wait.again() : Wait.step();
    }
  }
  messages &Net;
  std::deque<word> Values;
  std::atomic<bool> Stop{false};
  std::thread Thread;
};

word ask(messages &Net, request R) {
  Net.send(0, 0, &R, sizeof R);
  word Answer;
  patience Wait;
  while (!Net.receive(0, 0, &Answer, sizeof Answer))
    Wait.step();
  return Answer;
}

void byMessages(member &M) {
  manager Here(M.Hosts, M.Me, M.settings());
  barrier Meet("meet", Here);
  messages Net("net", Here, 1);
  Here.wait_for_ready(60s);
  Here.attach_thread();
  Net.connect([&] { OK(Meet.wait()); });
  std::optional<server> Server;
  if (M.Me == 0)
    Server.emplace(Net);
  measure(M, Meet, [&] {
    CHECK(ask(Net, {1, M.Me}) == 1);
    CHECK(ask(Net, {0, 0}) != 0);
  });
}

/// Words 0 and 1: how many values were taken, and put. What is put inside is there for the next holder, who
/// takes the lock on the same node.
class locked_queue : public channel {
public:
  explicit locked_queue(manager &M) : channel("locked", M), Lock(*this, "lock", 0) {
    constexpr std::size_t Size = Capacity * sizeof(word);
    if (me() == 0)
      own("ends", line_size), own("cells", Size);
    Ends = &other(0, "ends", line_size);
    Cells = &other(0, "cells", Size);
    join();
  }
  status enqueue(std::uint32_t Value) {
    endpoint &Here = owner().here();
    OK(Lock.acquire());
    auto [Taken, Put] = look(Here);
    status S = Put - Taken == Capacity ? status::full : status::ok;
    if (S == status::ok) {
      OK(Here.put_word(Cells->word_at(Put % Capacity), Value));
      OK(Here.put_word(Ends->word_at(1), Put + 1));
    }
    OK(Lock.release());
    return S;
  }
  status dequeue(std::uint32_t &Value) {
    endpoint &Here = owner().here();
    OK(Lock.acquire());
    auto [Taken, Put] = look(Here);
    status S = Put == Taken ? status::empty : status::ok;
    if (S == status::ok) {
      word Found;
      OK(Here.load(Found, Cells->word_at(Taken % Capacity)));
      Value = static_cast<std::uint32_t>(Found);
      OK(Here.put_word(*Ends, Taken + 1));
    }
    OK(Lock.release());
    return S;
  }

private:
  struct ends {
    word Taken, Put;
  };
  ends look(endpoint &Here) const {
    word *Into = Here.slot(endpoint::first_free_slot);
    ack Done;
    OK(Here.get(Into, *Ends, sizeof(ends), Done));
    OK(Done.wait());
    return {load(Into[0]), load(Into[1])};
  }
  node_lock Lock;
  const remote *Ends, *Cells;
};

void behindLock(member &M) {
  manager Here(M.Hosts, M.Me, M.settings());
  barrier Meet("meet", Here);
  locked_queue Queue(Here);
  Here.wait_for_ready(60s);
  Here.attach_thread();
  measure(M, Meet, [&] {
    std::uint32_t Taken;
    OK(Queue.enqueue(M.Me));
    OK(Queue.dequeue(Taken));
  });
}

enter A("queue.ours", ours, true), B("queue.messages", byMessages, true), C("queue.lock", behindLock, true);

} // namespace

} // namespace rdma::bench
