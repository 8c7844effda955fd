#include "analyzer/clang/program/Graph.h"

#include <algorithm>
#include <map>

namespace rdma::clang_ir {
namespace {

using enum OperationKind;

/// Accesses of memory that nobody else sees. They may leave empty statements that say nothing of what was
/// lost.
void hide(Operation &Op, const Inventory &Stock) {
  switch (Op.Kind) {
  case Load:
  case Store:
  case Assume:
    if (!Stock.exposed(Op.Local.Target))
      Op = {};
    return;
  case LocalCas:
  case LocalRmw:
    if (!Stock.exposed(Op.Local.Target)) {
      Op = {};
      Op.Kind = MemoryFence;
    }
    return;
  default:
    return;
  }
}

/// Takes empty statements out of a thread's graph.
class Compressor {
public:
  Compressor(Thread &T, std::set<StatementId> DeadEnds)
      : T(T), DeadEnds(std::move(DeadEnds)), Next(T.Statements.size()), Previous(T.Statements.size()) {
    for (StatementId S = 0; S < T.Statements.size(); ++S)
      for (StatementId N : T.Statements[S].Successors)
        connect(S, N);
  }

  void run() {
    for (bool Changed = true; Changed;) {
      Changed = false;
      for (StatementId S = 0; S < T.Statements.size(); ++S)
        if (S != T.Entry && !Gone(S) && T.Statements[S].Op.Kind == Nop && !T.Statements[S].Op.Outside &&
            T.Statements[S].Lost == None)
          Changed |= remove(S);
    }
    renumber();
  }

private:
  bool Gone(StatementId S) const { return Previous[S].empty(); }
  void connect(StatementId A, StatementId B) {
    Next[A].insert(B);
    Previous[B].insert(A);
  }

  bool remove(StatementId S) {
    // A cycle through nothing is waiting for nothing.
    Next[S].erase(S);
    Previous[S].erase(S);
    std::size_t In = Previous[S].size(), Out = Next[S].size();
    if (Out == 0 && DeadEnds.count(S)) {
      // Whatever is wrong on a path that ends here is wrong on the longer paths too.
      for (StatementId P : Previous[S]) {
        Next[P].erase(S);
        if (Next[P].empty())
          DeadEnds.insert(P);
      }
      Previous[S].clear();
      return true;
    }
    if (Out == 0) {
      // The thread may end here: the statements before must keep that.
      for (StatementId P : Previous[S])
        if (Next[P].size() > 1)
          return false;
    } else if (In * Out > In + Out) {
      return false;
    }
    for (StatementId P : Previous[S])
      Next[P].erase(S);
    for (StatementId N : Next[S])
      Previous[N].erase(S);
    for (StatementId P : Previous[S])
      for (StatementId N : Next[S])
        connect(P, N);
    Previous[S].clear();
    Next[S].clear();
    return true;
  }

  void renumber() {
    std::vector<StatementId> NewId(T.Statements.size(), None);
    std::vector<StatementId> Order, Work{T.Entry};
    std::vector<bool> Seen(T.Statements.size());
    Seen[T.Entry] = true;
    while (!Work.empty()) {
      StatementId S = Work.back();
      Work.pop_back();
      Order.push_back(S);
      for (StatementId N : Next[S])
        if (!Seen[N])
          Seen[N] = true, Work.push_back(N);
    }
    std::sort(Order.begin(), Order.end());
    for (StatementId I = 0; I < Order.size(); ++I)
      NewId[Order[I]] = I;
    std::vector<Statement> Kept;
    for (StatementId S : Order) {
      Kept.push_back(std::move(T.Statements[S]));
      Kept.back().Successors.clear();
      for (StatementId N : Next[S])
        Kept.back().Successors.push_back(NewId[N]);
    }
    T.Entry = NewId[T.Entry];
    T.Statements = std::move(Kept);
  }

  Thread &T;
  std::set<StatementId> DeadEnds;
  std::vector<std::set<StatementId>> Next, Previous;
};

template <class Visitor> void eachAccess(Program &P, Visitor Visit) {
  for (Thread &T : P.Threads)
    for (Statement &S : T.Statements)
      for (Access *A : {&S.Op.Local, &S.Op.Remote, &S.Op.Result})
        if (A->valid())
          Visit(*A);
}

/// Any byte of the object.
bool isAll(const KinRange &Kin) { return Kin == KinRange{.Number = Kin.Number}; }

/// Are the two related by this kin, and not byte by byte by another, which says more?
bool relates(const Object &O, const KinRange &Kin, const Object &Other) {
  auto find = [](const Object &In, std::uint64_t Number, auto Is) {
    return std::any_of(In.Kins.begin(), In.Kins.end(),
                       [&](const KinRange &Its) { return Its.Number == Number && Is(Its); });
  };
  return find(Other, Kin.Number, [&](const KinRange &Its) { return !(Its.Part && Kin.Part); }) &&
         std::none_of(O.Kins.begin(), O.Kins.end(), [&](const KinRange &More) {
           return isAll(More) && (!isAll(Kin) || More.Number < Kin.Number) && find(Other, More.Number, isAll);
         });
}

/// Only what relates two objects that are touched there, under small numbers.
void tidyKins(Program &P) {
  std::vector<Object> &Objects = P.Objects;
  std::vector<std::vector<Access>> Touched(Objects.size());
  eachAccess(P, [&](const Access &A) { Touched[A.Target].push_back(A); });
  for (std::size_t O = 0; O < Objects.size(); ++O)
    std::erase_if(Objects[O].Kins, [&](const KinRange &Kin) {
      return std::none_of(Touched[O].begin(), Touched[O].end(),
                          [&](const Access &A) { return A.Begin < Kin.End && Kin.Begin < A.End; });
    });
  auto isUseful = [&](const Object &O, const KinRange &Kin) {
    return std::any_of(Objects.begin(), Objects.end(), [&](const Object &Other) {
      return &Other != &O && Other.Home == O.Home && relates(O, Kin, Other);
    });
  };
  std::map<std::uint64_t, std::uint64_t> Numbers;
  std::vector<std::vector<KinRange>> Kept;
  for (const Object &O : Objects) {
    Kept.emplace_back();
    for (KinRange Kin : O.Kins)
      if (isUseful(O, Kin)) {
        Kin.Number = Numbers.try_emplace(Kin.Number, Numbers.size() + 1).first->second;
        Kept.back().push_back(Kin);
      }
  }
  for (std::size_t O = 0; O < Objects.size(); ++O)
    Objects[O].Kins = std::move(Kept[O]);
}

void dropObjects(Inventory &Stock) {
  Program &P = Stock.P;
  std::vector<bool> Used(P.Objects.size());
  eachAccess(P, [&](Access &A) { Used[A.Target] = true; });
  std::vector<ObjectId> NewId(P.Objects.size(), None);
  std::vector<Object> Kept;
  for (ObjectId O = 0; O < P.Objects.size(); ++O)
    if (Used[O]) {
      NewId[O] = Kept.size();
      Kept.push_back(std::move(P.Objects[O]));
    }
  P.Objects = std::move(Kept);
  eachAccess(P, [&](Access &A) { A.Target = NewId[A.Target]; });
  tidyKins(P);
}

} // namespace

void exposeShared(Inventory &Stock) {
  Program &P = Stock.P;
  std::vector<ThreadIndex> First(P.Objects.size(), None);
  std::map<std::pair<NodeId, std::uint64_t>, ThreadIndex> FirstOfKin;
  auto isUsed = [&](ThreadIndex &First, ThreadIndex By, ObjectId O) {
    if (First == None)
      First = By;
    else if (First != By)
      Stock.expose(O);
  };
  for (ThreadIndex T = 0; T < P.Threads.size(); ++T)
    for (const Statement &S : P.Threads[T].Statements) {
      ObjectId O = S.Op.Local.Target;
      if (O == None || P.Objects[O].Home != P.Threads[T].Home || Stock.isOfEachThread(O))
        continue;
      isUsed(First[O], T, O);
      for (const KinRange &Kin : P.Objects[O].Kins)
        isUsed(FirstOfKin.try_emplace({P.Objects[O].Home, Kin.Number}, None).first->second, T, O);
    }
}

void prune(Inventory &Stock) {
  for (ThreadIndex I = 0; I < Stock.P.Threads.size(); ++I) {
    for (Statement &S : Stock.P.Threads[I].Statements)
      hide(S.Op, Stock);
    Compressor(Stock.P.Threads[I], Stock.DeadEnds[I]).run();
  }
  dropObjects(Stock);
}

} // namespace rdma::clang_ir
