#include "analyzer/clang/translate/LockSections.h"
#include "analyzer/clang/translate/WholeLocks.h"
#include "ir/SubEvents.h"

#include <algorithm>
#include <set>

namespace rdma::clang_ir {

using namespace llvm;
using enum OperationKind;

namespace {

Expression number(std::int64_t N) { return {Term{1, true, N, {}}}; }

/// The locks of one process.
class Process {
public:
  Process(Inventory &Stock, NodeId Home, std::vector<CountedThread *> Threads)
      : Stock(Stock), Home(Home), Threads(std::move(Threads)),
        Whole(Stock, {this->Threads.begin(), this->Threads.end()}),
        WholeByName(Stock, {this->Threads.begin(), this->Threads.end()}, true) {}

  void mark() {
    std::set<Lock> Locks;
    for (const CountedThread *T : Threads)
      for (StatementId S = 0; S < T->Sources.size(); ++S)
        if (const CallBase *Call = WholeLocks::lockCall(Stock.P, *T, S))
          if (auto L = lockOf(*Call, *T))
            Locks.insert(*L);
    // Asked of the program as it was. Where memory of unknown origin may be the lock, it keeps nobody out
    // until that is decided (core/Reasons).
    std::vector<std::pair<Access, bool>> Found;
    for (const Lock &L : Locks)
      for (const bool ByName : {false, true})
        if (auto Place = onlyPlace(L, ByName); Place && (ByName ? WholeByName : Whole).isWhole(L)) {
          Found.emplace_back(*Place, ByName);
          break;
        }
    for (const auto &[Place, ByName] : Found)
      replace(Place, ByName);
  }

private:
  /// Where it is, if all its calls use one name, and no call of another may mean it.
  std::optional<Access> onlyPlace(const Lock &L, bool ByName) const {
    const std::vector<Access> Places = Whole.placesOf(L);
    if (Places.size() != 1)
      return std::nullopt;
    for (const CountedThread *T : Threads)
      for (StatementId S = 0; S < T->Sources.size(); ++S) {
        const CallBase *Call = WholeLocks::lockCall(Stock.P, *T, S);
        const Operation &Op = Stock.P.Threads[T->Index].Statements[S].Op;
        if (!Call || Op.Kind == Nop || !Op.Local.valid() || !mayOverlap(Stock.P, Op.Local, Places[0]))
          continue;
        const bool Mine = lockOf(*Call, *T) == L && Op.Local == Places[0];
        const bool Tried = lockUse(*Call) == LockUse::Tries;
        if (!Mine || Tried != (Op.Kind == LocalCas && Op.Success != Operation::Outcome::Either) ||
            (!Tried && Op.Kind != LocalRmw && Op.Kind != Store) || T->MayDoNothing.count(Call))
          return std::nullopt;
      }
    return isTouched(Places[0], ByName) ? std::nullopt : std::optional(Places[0]);
  }

  /// Does anything but what sets the lock up, ends it or tries it look at its memory, or does a NIC use that?
  bool isTouched(const Access &Place, bool ByName) const {
    auto touches = [&](const Operation &Op) {
      const std::vector<SubEvents> Ways = expand(Op);
      return std::any_of(Ways.begin(), Ways.end(), [&](const SubEvents &Way) {
        return std::any_of(Way.begin(), Way.end(), [&](const SubEvent &E) {
          return E.Location.valid() && (isNic(E.Kind) || !writes(E.Kind)) &&
                 !(ByName && Stock.P.Objects[E.Location.Target].Anything) &&
                 mayOverlap(Stock.P, E.Location, Place);
        });
      });
    };
    for (ThreadIndex Index = 0; Index < Stock.P.Threads.size(); ++Index) {
      auto Mine = std::find_if(Threads.begin(), Threads.end(),
                               [&](const CountedThread *T) { return T->Index == Index; });
      const auto &All = Stock.P.Threads[Index].Statements;
      for (StatementId S = 0; S < All.size(); ++S)
        if (touches(All[S].Op) && (Mine == Threads.end() || !mayLook(**Mine, S)))
          return true;
    }
    return false;
  }

  bool mayLook(const CountedThread &T, StatementId S) const {
    const CallBase *Call = WholeLocks::lockCall(Stock.P, T, S);
    return S < T.Sources.size() &&
           (WholeLocks::setsUpOrEnds(T.Sources[S]) || (Call && lockUse(*Call) == LockUse::Tries));
  }

  void replace(const Access &Place, bool ByName) {
    const std::string Name = describe(Stock.P, Place);
    const ObjectId Word = Stock.flag(Home, Name + "/" + std::to_string(Place.Begin), "lock of " + Name);
    Stock.expose(Word);
    Stock.P.Objects[Word].Unaliased = !ByName;
    for (CountedThread *T : Threads) {
      Thread &Code = Stock.P.Threads[T->Index];
      const std::size_t Size = T->Sources.size();
      for (StatementId S = 0; S < Size; ++S) {
        const CallBase *Call = WholeLocks::lockCall(Stock.P, *T, S);
        if (!Call || !(Code.Statements[S].Op.Local == Place) || Code.Statements[S].Op.Kind == Nop)
          continue;
        const LockUse Use = lockUse(*Call);
        // A spin lock is given back by a plain store.
        Operation &Op = Code.Statements[S].Op;
        if (Op.Kind == Store)
          Op.Value = number(0), Op.Local = {Word};
        else
          Op = Use == LockUse::Tries ? swap(Word, false, Op.Success) : swap(Word, Use != LockUse::Takes);
        if (Use == LockUse::Waits) {
          Code.insertBehind(S, swap(Word, false), Code.Statements[S].Where);
          T->Sources.push_back(Call);
        }
      }
    }
  }

  Operation swap(ObjectId Word, bool Gives, Operation::Outcome Success = Operation::Outcome::Succeeds) const {
    Operation Op;
    Op.Kind = LocalCas;
    Op.Local = {Word};
    Op.Value = number(Gives);
    Op.Desired = number(!Gives);
    Op.Success = Success;
    return Op;
  }

  Inventory &Stock;
  NodeId Home;
  std::vector<CountedThread *> Threads;
  WholeLocks Whole, WholeByName;
};

} // namespace

void markSections(Inventory &Stock, std::deque<CountedThread> &Threads) {
  std::map<NodeId, std::vector<CountedThread *>> ByNode;
  for (CountedThread &T : Threads)
    ByNode[T.Home].push_back(&T);
  for (auto &[Home, All] : ByNode)
    if (All.size() > 1)
      Process(Stock, Home, All).mark();
}

} // namespace rdma::clang_ir
