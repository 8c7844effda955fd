#include "analyzer/explorer/Concrete.h"
#include "analyzer/explorer/Compiled.h"

#include <algorithm>
#include <map>
#include <set>

namespace rdma::explorer {
namespace {

using enum OperationKind;

class Concretion {
public:
  explicit Concretion(const Program &P) : Out(P) {}

  Program run() {
    refuseUnknownMemory();
    joinParts();
    for (Thread &T : Out.Threads)
      for (Statement &S : T.Statements)
        replace(S);
    return std::move(Out);
  }

private:
  template <class Visit> void eachAccess(Operation &Op, Visit What) {
    for (Access *A : {&Op.Local, &Op.Remote, &Op.Result})
      if (A->valid())
        What(*A);
    for (auto *Value : {&Op.Value, &Op.Desired})
      if (*Value)
        for (Term &T : **Value)
          if (!T.IsConstant)
            What(T.Location);
  }
  template <class Visit> void eachAccess(Visit What) {
    for (Thread &T : Out.Threads)
      for (Statement &S : T.Statements)
        eachAccess(S.Op, [&](Access &A) { What(A, S); });
  }

  void refuseUnknownMemory() {
    std::vector<bool> Used(Out.Objects.size());
    eachAccess([&](Access &A, const Statement &) { Used[A.Target] = true; });
    eachAccess([&](Access &A, const Statement &S) {
      for (ObjectId O = 0; Out.Objects[A.Target].Anything && O < Out.Objects.size(); ++O)
        if (O != A.Target && Used[O] && mayOverlap(Out, {A.Target}, {O}))
          throw Unsupported(S.Where, "'" + describe(Out, A) + "' may be any memory of its node, such as '" +
                                         Out.Objects[O].Name + "': name the location that it is");
    });
  }

  /// Of parts that overlap, the first byte of all of them stands for all.
  void joinParts() {
    std::map<std::pair<ObjectId, std::int64_t>, std::int64_t> Ends; // by object and beginning
    eachAccess([&](Access &A, const Statement &) {
      std::int64_t &End = Ends.try_emplace({A.Target, A.Begin}, A.End).first->second;
      End = std::max(End, A.End);
    });
    std::map<std::pair<ObjectId, std::int64_t>, Access> Joined;
    std::pair<ObjectId, std::int64_t> First{None, 0};
    std::int64_t Last = 0;
    for (auto &[Where, End] : Ends) {
      bool Apart = Where.first != First.first || Where.second >= Last;
      if (Apart)
        Joined[First = Where] = alone(Where.first, {Where.first, Where.second, End});
      else
        Joined[Where] = Joined[First];
      Last = Apart ? End : std::max(Last, End);
    }
    eachAccess([&](Access &A, const Statement &) { A = Joined.at({A.Target, A.Begin}); });
  }

  /// The object for the first part, and new ones for those behind it.
  Access alone(ObjectId Of, const Access &Part) {
    if (Taken.insert(Of).second)
      return {Of};
    Object O = Out.Objects[Of];
    O.Name = describe(Out, Part);
    Out.Objects.push_back(O);
    return {static_cast<ObjectId>(Out.Objects.size() - 1)};
  }

  void replace(Statement &S) {
    if (S.Op.Kind == Nop && S.Lost != None && Out.LostFacts[S.Lost].Everything)
      throw Unsupported(S.Where, "anything may happen here: " + Out.LostFacts[S.Lost].Text.text());
    if (S.Op.Kind == Poll && S.Op.Queue == None)
      S.Op = {};
    bool Valued =
        S.Op.Kind == Store || S.Op.Kind == LocalCas || S.Op.Kind == RemoteCas || S.Op.Kind == RemoteFaa;
    if (Valued && !S.Op.Value)
      S.Op.Value = number();
    if ((S.Op.Kind == LocalCas || S.Op.Kind == RemoteCas) && !S.Op.Desired)
      S.Op.Desired = number();
  }

  Expression number() { return {{.Constant = ++Number}}; }

  Program Out;
  std::set<ObjectId> Taken;
  std::int64_t Number = 1000; ///< other than what programs write
};

} // namespace

Program concrete(const Program &P) { return Concretion(P).run(); }

} // namespace rdma::explorer
