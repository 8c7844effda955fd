#include "analyzer/confirm/Slice.h"

#include "analyzer/confirm/Atoms.h"
#include "analyzer/confirm/Observer.h"

#include <algorithm>
#include <map>

namespace rdma {

using enum OperationKind;

namespace {

/// Pieces of one access, or of both sides of a request.
struct Piece {
  Access Local, Remote; ///< atoms; invalid: bytes that the slice does not keep
};

class Slicer {
public:
  Slicer(const Program &P, const Violation &V, std::vector<bool> Threads, Atoms Kept)
      : P(P), V(V), Threads(std::move(Threads)), Kept(std::move(Kept)) {}

  Slice run() {
    Out.Code.Name = P.Name;
    Out.Code.Nodes = P.Nodes;
    Out.Code.QueuePairs = P.QueuePairs;
    Out.Code.WorkIds = P.WorkIds;
    for (ThreadIndex T = 0; T < P.Threads.size(); ++T)
      thread(T);
    Out.Pair = {key(V.First), key(V.Second), V.Broken == Rule::Atomics};
    bool SeenByAll = V.Broken != Rule::LocalRace && V.Broken != Rule::Atomics && V.Observers.empty();
    if (P.OpenWorld && SeenByAll && Out.Pair.First.Thread != None && Out.Pair.Second.Thread != None)
      addObserver(Out, unknownValue());
    return std::move(Out);
  }

private:
  using Name = std::pair<ObjectId, std::int64_t>;
  static Name name(const Access &Atom) { return {Atom.Target, Atom.Begin}; }

  ObjectId object(const Access &Atom) {
    auto [At, IsNew] = Objects.try_emplace(name(Atom), Out.Code.Objects.size());
    if (IsNew) {
      Object O = P.Objects[Atom.Target];
      O.Name = describe(P, Atom);
      O.Fields.clear();
      Out.Code.Objects.push_back(std::move(O));
    }
    return At->second;
  }
  Access kept(const Access &Atom) { return {object(Atom)}; }

  /// Memory that only one operation knows.
  Access scratch(NodeId Home) {
    Out.Code.Objects.push_back({.Name = "unused", .Home = Home, .Fresh = true});
    return {ObjectId(Out.Code.Objects.size() - 1)};
  }

  Access keptOr(const Access &Atom, const Access &Whole) {
    return Atom.valid() ? kept(Atom) : scratch(P.Objects[Whole.Target].Home);
  }

  /// Each value that is not known has a number of its own.
  std::int64_t unknownValue() { return ++Unknown; }

  Expression expression(const std::optional<Expression> &Value) {
    if (!Value)
      return {{.Constant = unknownValue()}};
    Expression Sum;
    for (Term T : *Value) {
      if (!T.IsConstant) {
        std::vector<Access> Parts = Kept.of(T.Location);
        if (Parts.empty())
          continue;
        T.Location = kept(Parts.front());
      }
      Sum.push_back(T);
    }
    return Sum;
  }

  void thread(ThreadIndex T) {
    const Thread &In = P.Threads[T];
    Out.Code.Threads.push_back({.Name = In.Name, .Home = In.Home});
    New = &Out.Code.Threads.back();
    InThread = T;
    if (!Threads[T] || In.Statements.empty()) {
      New->Statements.push_back({});
      return;
    }
    std::vector<StatementId> First;
    std::vector<StatementId> Last;
    for (StatementId S = 0; S < In.Statements.size(); ++S) {
      First.push_back(New->Statements.size());
      Now = S;
      statement(In.Statements[S]);
      Last.push_back(New->Statements.size() - 1);
    }
    for (StatementId S = 0; S < In.Statements.size(); ++S)
      for (StatementId Next : In.Statements[S].Successors)
        New->Statements[Last[S]].Successors.push_back(First[Next]);
    New->Entry = First[In.Entry];
    letEnd();
  }

  /// A thread that serves for ever may be looked at after any number of rounds.
  void letEnd() {
    auto Before = predecessors(*New);
    std::vector<bool> Ends(New->Statements.size());
    std::vector<StatementId> Work;
    for (StatementId S = 0; S < New->Statements.size(); ++S)
      if (New->Statements[S].Successors.empty())
        Work.push_back(S);
    while (!Work.empty()) {
      StatementId S = Work.back();
      Work.pop_back();
      if (Ends[S])
        continue;
      Ends[S] = true;
      Work.insert(Work.end(), Before[S].begin(), Before[S].end());
    }
    StatementId End = New->Statements.size();
    New->Statements.push_back({});
    for (StatementId S = 0; S < End; ++S)
      if (!Ends[S])
        New->Statements[S].Successors.push_back(End);
  }

  /// One statement or several, one after the other; at least one.
  void statement(const Statement &In) {
    Count = 0;
    pieces(In.Op, In.Where);
    if (Count == 0)
      emit({}, In.Where, {});
  }

  void emit(Operation Op, const Site &Where, const Piece &Is) {
    if (Count++ > 0)
      New->Statements.back().Successors.push_back(New->Statements.size());
    Origins.push_back({InThread, Now, StatementId(New->Statements.size()), Is});
    New->Statements.push_back({std::move(Op), Where});
  }

  void pieces(const Operation &Op, const Site &Where) {
    switch (Op.Kind) {
    case Load:
    case Assume:
    case Store:
    case LocalCas:
    case LocalRmw:
      return cpu(Op, Where);
    case Put:
    case Get:
      return request(Op, Where);
    case RemoteCas:
    case RemoteFaa:
      return atomic(Op, Where);
    default:
      return emit(Op, Where, {});
    }
  }

  void cpu(const Operation &Op, const Site &Where) {
    std::vector<Access> Parts = Kept.of(Op.Local);
    bool Update = Op.Kind == LocalCas || Op.Kind == LocalRmw;
    if (Parts.empty() && Update) // it is a fence still
      return emit({.Kind = MemoryFence}, Where, {});
    if (Parts.empty() && Op.Value)
      readOperands(*Op.Value, Where);
    for (const Access &Atom : Parts) {
      Operation Part = Op;
      Part.Local = kept(Atom);
      if (Op.Kind == Store) {
        Part.Value = expression(Op.Value);
        Part.Deregisters = false; // a request that comes too late finds anything there
      }
      if (Update)
        update(Part, Op);
      emit(std::move(Part), Where, {Atom, {}});
    }
  }

  /// What is left of a store that nobody looks at.
  void readOperands(const Expression &Value, const Site &Where) {
    for (const Term &T : Value)
      for (const Access &Atom : T.IsConstant ? std::vector<Access>() : Kept.of(T.Location))
        emit({.Kind = Load, .Local = kept(Atom)}, Where, {Atom, {}});
  }

  void update(Operation &Part, const Operation &Op) {
    if (Op.Kind == LocalRmw) {
      Part.Kind = LocalCas;
      Part.Value = Expression{{.IsConstant = false, .Location = Part.Local}};
      Part.Desired = expression({});
      Part.Success = Operation::Outcome::Succeeds;
      return;
    }
    Part.Value = expression(Op.Value);
    Part.Desired = expression(Op.Desired);
    std::vector<Access> Result = Op.Result.valid() ? Kept.of(Op.Result) : std::vector<Access>();
    Part.Result = Result.empty() ? Access{} : kept(Result.front());
  }

  /// Only the last piece leaves a completion, and only the first waits for a fence.
  void request(const Operation &Op, const Site &Where) {
    std::vector<Piece> Parts =
        Op.Kind == Put ? moved(Op.Remote, Op.Local, false) : moved(Op.Local, Op.Remote, true);
    if (Parts.empty())
      Parts.push_back({});
    for (std::size_t I = 0; I < Parts.size(); ++I) {
      Operation Part = Op;
      Part.Local = keptOr(Parts[I].Local, Op.Local);
      Part.Remote = keptOr(Parts[I].Remote, Op.Remote);
      Part.Fenced = Op.Fenced && I == 0;
      if (I + 1 < Parts.size()) {
        Part.Unsignaled = true;
        Part.Id = None;
      }
      emit(std::move(Part), Where, Parts[I]);
    }
  }

  /// What moves from Source to Target: a piece for each kept atom of the target, with where it comes from,
  /// and one for each kept atom of the source that none of these reads.
  std::vector<Piece> moved(const Access &Target, const Access &Source, bool TargetIsLocal) const {
    std::vector<Piece> Parts;
    std::vector<Access> Left = Kept.of(Source);
    auto add = [&](const Access &To, const Access &From) {
      Parts.push_back(TargetIsLocal ? Piece{To, From} : Piece{From, To});
    };
    for (const Access &To : Kept.of(Target)) {
      std::vector<Access> From = Kept.of(Atoms::source(To, Target, Source));
      add(To, From.empty() ? Access{} : From.front());
      if (!From.empty())
        std::erase(Left, From.front());
    }
    for (const Access &From : Left)
      add({}, From);
    return Parts;
  }

  void atomic(const Operation &Op, const Site &Where) {
    std::vector<Access> Remote = Kept.of(Op.Remote), Local = Kept.of(Op.Local);
    Piece Is{Local.empty() ? Access{} : Local.front(), Remote.empty() ? Access{} : Remote.front()};
    Operation Part = Op;
    Part.Local = keptOr(Is.Local, Op.Local);
    Part.Remote = keptOr(Is.Remote, Op.Remote);
    if (Remote.empty()) { // nobody asks for its result
      Part.Kind = RemoteFaa;
      Part.Success = Operation::Outcome::Either;
      Part.Value = Part.Desired = Expression{};
    } else {
      Part.Value = expression(Op.Value);
      if (Op.Kind == RemoteCas)
        Part.Desired = expression(Op.Desired);
    }
    emit(std::move(Part), Where, Is);
  }

  /// The event of the slice that stands for an event of the finding, on the bytes where it conflicts.
  explorer::EventKey key(const EventRef &E) const {
    std::vector<Access> Where = Kept.of(conflictOf(E));
    const Origin *Only = nullptr;
    for (const Origin &O : Origins) {
      if (O.Thread != E.Thread || O.From != E.Statement)
        continue;
      Only = &O;
      const Access &Atom = isRemote(E.Kind) ? O.Is.Remote : O.Is.Local;
      if (std::find(Where.begin(), Where.end(), Atom) != Where.end())
        return {E.Thread, O.To, Objects.at(name(Atom)), writes(E.Kind)};
    }
    // The operand of a statement, or the result of a compare-and-swap.
    if (!Only || Where.empty() || !Objects.contains(name(Where.front())))
      return {None, None, None, false};
    return {E.Thread, Only->To, Objects.at(name(Where.front())), writes(E.Kind)};
  }

  Access conflictOf(const EventRef &E) const {
    const EventRef &Other = V.Observers.empty() ? (&E == &V.First ? V.Second : V.First)
                            : &E == &V.First    ? V.Observers.back()
                                                : V.Observers.front();
    Access Both = overlap(E.Location, Other.Location);
    return Both.valid() ? Both : E.Location;
  }

  /// A statement of the slice, and the one of the program that it is a piece of.
  struct Origin {
    ThreadIndex Thread;
    StatementId From, To;
    Piece Is;
  };

  const Program &P;
  const Violation &V;
  std::vector<bool> Threads;
  Atoms Kept;
  Slice Out;
  std::map<Name, ObjectId> Objects; ///< by atom
  std::vector<Origin> Origins;
  Thread *New = nullptr;
  ThreadIndex InThread = None;
  StatementId Now = None;
  unsigned Count = 0;
  std::int64_t Unknown = 0;
};

std::vector<bool> threadsOf(const Program &P, const Violation &V, SliceOf What) {
  std::vector<bool> Threads(P.Threads.size(), What != SliceOf::Cycle);
  Threads[V.First.Thread] = Threads[V.Second.Thread] = true;
  for (const EventRef &E : V.Observers)
    Threads[E.Thread] = true;
  return Threads;
}

void addConflicts(Atoms &A, const Violation &V) {
  auto conflict = [&](const EventRef &X, const EventRef &Y) {
    A.add(A.piece(overlap(X.Location, Y.Location)));
  };
  if (V.Observers.empty()) {
    conflict(V.First, V.Second);
  } else {
    conflict(V.Second, V.Observers.front());
    for (std::size_t I = 0; I + 1 < V.Observers.size(); ++I)
      conflict(V.Observers[I], V.Observers[I + 1]);
    conflict(V.Observers.back(), V.First);
  }
  for (const EventRef *E : {&V.First, &V.Second})
    if (A.of(E->Location).empty())
      A.add(A.piece(E->Location));
}

} // namespace

std::optional<Slice> slice(const Program &P, const Violation &V, SliceOf What) {
  std::vector<bool> Threads = threadsOf(P, V, What);
  Atoms Kept(P, Threads);
  Kept.addTested();
  if (What == SliceOf::Whole)
    Kept.addEverything();
  else
    addConflicts(Kept, V);
  if (!Kept.close())
    return std::nullopt;
  Slice Done = Slicer(P, V, std::move(Threads), std::move(Kept)).run();
  bool Found = Done.Pair.First.Thread != None && Done.Pair.Second.Thread != None;
  return Found ? std::optional(std::move(Done)) : std::nullopt;
}

} // namespace rdma
