#include "analyzer/core/Streams.h"

#include "analyzer/core/Flow.h"

#include <algorithm>
#include <set>

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

bool passes(const Program &P, const Operation &Op, OperationKind Way) {
  return Op.Kind == Way && isMessage(P, Op.Remote.Target);
}

/// A message has its number, and so has who receives: between the least and the most that there may have
/// been.
void number(Program &P, Thread &T, OperationKind Way, ObjectId Stream) {
  auto Before = forwardFacts(T, Turn{}, [&](Turn Now, StatementId S) {
    return passes(P, T.Statements[S].Op, Way) ? Now.next() : Now;
  });
  for (StatementId S = 0; S < T.Statements.size(); ++S) {
    Operation &Op = T.Statements[S].Op;
    if (!passes(P, Op, Way) || !Before[S])
      continue;
    Op.Remote = {Stream};
    Op.Remote.Begin = Before[S]->Least;
    Op.Remote.End = Before[S]->end();
  }
}

} // namespace

bool isMessage(const Program &P, ObjectId O) {
  const Object &Found = P.Objects[O];
  return Found.Anything && Found.Name == "messages" && P.Nodes[Found.Home].Name == "outside";
}

std::optional<Program> inTurn(const Program &P) {
  std::set<ThreadIndex> Talking;
  std::set<NodeId> Nodes;
  ObjectId Stream = None;
  for (ThreadIndex T = 0; T < P.Threads.size(); ++T)
    for (const Statement &S : P.Threads[T].Statements)
      if (passes(P, S.Op, Put) || passes(P, S.Op, Get)) {
        Stream = S.Op.Remote.Target;
        Talking.insert(T);
        Nodes.insert(P.Threads[T].Home);
        if (P.Threads[T].Many)
          return std::nullopt;
      }
  if (Talking.size() != 2 || Nodes.size() != 2)
    return std::nullopt;
  Program Numbered = P;
  for (ThreadIndex T : Talking)
    for (OperationKind Way : {Put, Get})
      number(Numbered, Numbered.Threads[T], Way, Stream);
  Numbered.Objects[Stream].Anything = false;
  return Numbered;
}

} // namespace rdma
