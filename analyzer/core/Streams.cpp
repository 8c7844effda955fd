#include "analyzer/core/Streams.h"

#include "analyzer/core/Flow.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <set>
#include <string_view>

namespace rdma {
namespace {

using enum OperationKind;

/// How many messages there have been.
struct Turn {
  static constexpr unsigned Endless = 64;
  unsigned Least = 0, Most = 0;
  bool operator==(const Turn &) const = default;
  Turn meet(const Turn &Other) const { return {std::min(Least, Other.Least), std::max(Most, Other.Most)}; }
  Turn next() const { return {std::min(Least + 1, Endless), std::min(Most + 1, Endless)}; }
  std::int64_t end() const { return Most == Endless ? std::int64_t(1) << 20 : Most + 1; }
};

bool passes(const Program &P, const Operation &Op) {
  return (Op.Kind == Put || Op.Kind == Get) && isMessage(P, Op.Remote.Target);
}

/// The number that an end of a connection has in its array: 2 of "socks[2]", 0 of "*socks"; None: it is in
/// none.
unsigned indexOf(const Program &P, ObjectId Messages) {
  const std::string_view Name = P.Objects[Messages].Name;
  const std::size_t Open = Name.rfind('[');
  if (Open == std::string_view::npos || Name.back() != ']')
    return Name.find('*') != std::string_view::npos ? 0 : None;
  unsigned Index = None;
  auto [End, Error] = std::from_chars(&Name[Open + 1], &Name.back(), Index);
  return Error == std::errc() && End == &Name.back() ? Index : None;
}

/// Who is at the other ends of each thread's connections.
class Connections {
public:
  explicit Connections(const Program &P) : P(P) {
    for (ThreadIndex T = 0; T < P.Threads.size(); ++T)
      for (const Statement &S : P.Threads[T].Statements)
        if (passes(P, S.Op))
          Ends[T].insert(S.Op.Remote.Target);
    for (const auto &[T, Some] : Ends)
      Talking.push_back(T);
  }

  /// Can it be told?
  bool find() {
    std::set<NodeId> Nodes;
    for (ThreadIndex T : Talking) {
      Nodes.insert(P.Threads[T].Home);
      if (P.Threads[T].Many)
        return false;
    }
    if (Nodes.size() != Talking.size() || Talking.size() < 2)
      return false;
    return Talking.size() == 2 || findNumbers();
  }

  ThreadIndex peer(ThreadIndex T, ObjectId Messages) const {
    if (Talking.size() == 2)
      return Talking[T == Talking[0]];
    return Talking[indexOf(P, Messages)];
  }

private:
  static constexpr std::size_t MostTalking = 6;

  /// Puts the threads into an order in which each has an end for the number of another if that has one for
  /// its own: first as they stand in the topology.
  bool findNumbers() {
    if (Talking.size() > MostTalking)
      return false;
    do
      if (areNumbered())
        return true;
    while (std::next_permutation(Talking.begin(), Talking.end()));
    return false;
  }

  bool areNumbered() const {
    auto Has = [&](unsigned Of, unsigned Number) {
      const std::set<ObjectId> &Mine = Ends.at(Talking[Of]);
      return std::any_of(Mine.begin(), Mine.end(), [&](ObjectId O) { return indexOf(P, O) == Number; });
    };
    for (unsigned N = 0; N < Talking.size(); ++N)
      for (ObjectId O : Ends.at(Talking[N]))
        if (const unsigned To = indexOf(P, O); To >= Talking.size() || To == N || !Has(To, N))
          return false;
    return true;
  }

  const Program &P;
  std::map<ThreadIndex, std::set<ObjectId>> Ends;
  std::vector<ThreadIndex> Talking;
};

/// A message has its number, and so has who receives: between the least and the most that there may have
/// been.
class Numbering {
public:
  Numbering(const Program &P, const Connections &Lead) : P(P), Lead(Lead), Numbered(P) {}

  Program run() {
    for (ThreadIndex T = 0; T < P.Threads.size(); ++T) {
      std::set<Stream> Mine;
      for (const Statement &S : P.Threads[T].Statements)
        if (passes(P, S.Op))
          Mine.insert(streamOf(T, S.Op));
      for (const Stream &Of : Mine)
        number(T, Of);
    }
    return std::move(Numbered);
  }

private:
  using Stream = std::pair<ThreadIndex, ThreadIndex>; ///< from, to

  Stream streamOf(ThreadIndex T, const Operation &Op) const {
    const ThreadIndex Other = Lead.peer(T, Op.Remote.Target);
    return Op.Kind == Put ? Stream{T, Other} : Stream{Other, T};
  }

  ObjectId objectOf(const Stream &Of, ObjectId Like) {
    auto [Found, New] = Objects.try_emplace(Of, Numbered.Objects.size());
    if (New) {
      Numbered.Objects.push_back(P.Objects[Like]);
      Numbered.Objects.back().Anything = false;
    }
    return Found->second;
  }

  void number(ThreadIndex T, const Stream &Of) {
    const Thread &Mine = P.Threads[T];
    auto Is = [&](StatementId S) {
      return passes(P, Mine.Statements[S].Op) && streamOf(T, Mine.Statements[S].Op) == Of;
    };
    auto Before =
        forwardFacts(Mine, Turn{}, [&](Turn Now, StatementId S) { return Is(S) ? Now.next() : Now; });
    for (StatementId S = 0; S < Mine.Statements.size(); ++S) {
      if (!Is(S) || !Before[S])
        continue;
      Access &Place = Numbered.Threads[T].Statements[S].Op.Remote;
      Place = {objectOf(Of, Place.Target)};
      Place.Begin = Before[S]->Least;
      Place.End = Before[S]->end();
    }
  }

  const Program &P;
  const Connections &Lead;
  Program Numbered;
  std::map<Stream, ObjectId> Objects;
};

} // namespace

bool isMessage(const Program &P, ObjectId O) {
  const Object &Found = P.Objects[O];
  auto runsThere = [&](const Thread &T) { return T.Home == Found.Home; };
  return Found.Anything && Found.Name.starts_with("messages") &&
         std::none_of(P.Threads.begin(), P.Threads.end(), runsThere);
}

std::optional<Program> inTurn(const Program &P) {
  Connections Lead(P);
  if (!Lead.find())
    return std::nullopt;
  return Numbering(P, Lead).run();
}

} // namespace rdma
