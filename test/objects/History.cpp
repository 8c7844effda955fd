#include "test/objects/History.h"
#include "test/objects/Group.h"

#include <cstdio>
#include <ctime>

namespace rdma::objects::test {

std::uint64_t now() {
  timespec T;
  clock_gettime(CLOCK_MONOTONIC, &T);
  return static_cast<std::uint64_t>(T.tv_sec) * 1000000000 + static_cast<std::uint64_t>(T.tv_nsec);
}

std::string call::text() const {
  char Text[160];
  snprintf(Text, sizeof Text, "%llu %llu %d %llu %llu %d", static_cast<unsigned long long>(Begin),
           static_cast<unsigned long long>(End), Kind, static_cast<unsigned long long>(Argument),
           static_cast<unsigned long long>(Answer), Found);
  return Text;
}

bool call::read(const std::string &Text, call &Into) {
  unsigned long long Begin, End, Argument, Answer;
  int Kind, Found;
  if (sscanf(Text.c_str(), "%llu %llu %d %llu %llu %d", &Begin, &End, &Kind, &Argument, &Answer, &Found) != 6)
    return false;
  Into = {Begin, End, Kind, Argument, Answer, Found != 0};
  return true;
}

namespace {

// The checker is itself checked: right histories pass, wrong ones do not.
bool checkerWorks(const plan &) {
  using Q = queue_model;
  using M = key_model;
  auto Queue = [](std::vector<call> C) { return linearisation<Q>::exists(std::move(C)); };
  auto Key = [](std::vector<call> C) { return linearisation<M>::exists(std::move(C)); };
  CHECK(Queue({{0, 9, Q::Enqueue, 1, 0, true},
               {1, 8, Q::Enqueue, 2, 0, true},
               {10, 11, Q::Dequeue, 0, 2, true},
               {12, 13, Q::Dequeue, 0, 1, true},
               {14, 15, Q::Dequeue, 0, 0, false}}));
  CHECK(!Queue(
      {{0, 1, Q::Enqueue, 1, 0, true}, {2, 3, Q::Enqueue, 2, 0, true}, {4, 5, Q::Dequeue, 0, 2, true}}));
  CHECK(!Queue({{0, 1, Q::Enqueue, 1, 0, true}, {2, 3, Q::Dequeue, 0, 0, false}}));
  CHECK(Queue({{0, 5, Q::Enqueue, 1, 0, true}, {2, 3, Q::Dequeue, 0, 0, false}}));
  CHECK(!Queue(
      {{0, 1, Q::Enqueue, 1, 0, true}, {2, 4, Q::Dequeue, 0, 1, true}, {3, 5, Q::Dequeue, 0, 1, true}}));
  std::vector<call> Many; // one more than it holds, of which the last is refused
  for (std::uint64_t I = 0; I <= Q::Capacity; ++I)
    Many.push_back({2 * I, 2 * I + 1, Q::Enqueue, I, 0, I < Q::Capacity});
  CHECK(Queue(Many));
  Many.back().Found = true;
  CHECK(!Queue(Many));
  CHECK(!Queue({{0, 1, Q::Enqueue, 1, 0, false}}));
  CHECK(Key({{0, 1, M::Insert, 5, 0, true},
             {2, 3, M::Lookup, 0, 5, true},
             {3, 9, M::Erase, 0, 0, true},
             {4, 5, M::Lookup, 0, 0, false}}));
  CHECK(!Key({{0, 1, M::Insert, 5, 0, true}, {2, 3, M::Lookup, 0, 0, false}}));
  CHECK(!Key({{0, 1, M::Insert, 5, 0, true}, {2, 3, M::Update, 6, 0, true}, {4, 5, M::Lookup, 0, 5, true}}));
  CHECK(!Key({{0, 9, M::Insert, 5, 0, true}, {1, 2, M::Lookup, 0, 5, true}, {3, 4, M::Lookup, 0, 0, false}}));
  using W = memory_model;
  // Store buffering: both read the old value.
  CHECK(!linearisation<W>::exists({{0, 1, W::Write, 1, 0, true},
                                   {0, 1, 8 + W::Write, 1, 0, true},
                                   {2, 3, 8 + W::Read, 0, 0, true},
                                   {2, 3, W::Read, 0, 0, true}}));
  return true;
}

add A("checker", std::function<bool(const plan &)>(checkerWorks));

} // namespace

} // namespace rdma::objects::test
