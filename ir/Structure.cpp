#include "ir/Structure.h"

#include <algorithm>
#include <map>
#include <set>

namespace rdma {
namespace {

using Kind = Structured::Kind;
using Parts = std::vector<StructuredPtr>;

bool same(const StructuredPtr &A, const StructuredPtr &B) {
  return A == B || (A->What == B->What && A->Id == B->Id &&
                    std::equal(A->Parts.begin(), A->Parts.end(), B->Parts.begin(), B->Parts.end(), same));
}

/// How many statements the text of a part has; a double, for what is duplicated may be beyond any integer.
double length(const Structured &Part) {
  double Sum = Part.What == Kind::Statement;
  for (const StructuredPtr &P : Part.Parts)
    Sum += P->Length;
  return Sum;
}

StructuredPtr make(Kind What, Parts P, StatementId Id = None) {
  Structured Made{What, Id, std::move(P)};
  Made.Length = length(Made);
  return std::make_shared<Structured>(std::move(Made));
}
StructuredPtr leaf(StatementId Id) { return make(Kind::Statement, {}, Id); }

/// The items one after another; a sequence's items are never sequences.
Parts items(const StructuredPtr &E) { return E->What == Kind::Sequence ? E->Parts : Parts{E}; }

StructuredPtr sequence(const Parts &Elements) {
  Parts Flat;
  for (const StructuredPtr &E : Elements)
    for (const StructuredPtr &Item : items(E))
      Flat.push_back(Item);
  return Flat.size() == 1 ? Flat.front() : make(Kind::Sequence, std::move(Flat));
}

StructuredPtr choice(const StructuredPtr &A, const StructuredPtr &B) {
  if (same(A, B))
    return A;
  // What both begin or end with stands outside the choice.
  Parts X = items(A), Y = items(B), Head, Tail;
  while (!X.empty() && !Y.empty() && same(X.front(), Y.front())) {
    Head.push_back(X.front());
    X.erase(X.begin());
    Y.erase(Y.begin());
  }
  while (!X.empty() && !Y.empty() && same(X.back(), Y.back())) {
    Tail.insert(Tail.begin(), X.back());
    X.pop_back();
    Y.pop_back();
  }
  StructuredPtr Left = sequence(X), Right = sequence(Y);
  Parts Branches;
  for (const StructuredPtr &Side : {Left, Right})
    if (Side->What == Kind::Choice)
      Branches.insert(Branches.end(), Side->Parts.begin(), Side->Parts.end());
    else
      Branches.push_back(Side);
  Head.push_back(make(Kind::Choice, std::move(Branches)));
  Head.insert(Head.end(), Tail.begin(), Tail.end());
  return sequence(Head);
}

StructuredPtr loop(const StructuredPtr &Body) {
  return Body->What == Kind::Sequence && Body->Parts.empty() ? Body : make(Kind::Loop, {Body});
}

/// States are statements plus Start and End; an edge carries what is done on the way. The next to go is the
/// state whose going duplicates the least text (Delgado and Morais).
class Elimination {
public:
  explicit Elimination(const Thread &T) : Start(T.Statements.size()), End(Start + 1) {
    add(Start, T.Entry, sequence({}));
    for (StatementId S = 0; S < T.Statements.size(); ++S) {
      const Statement &Here = T.Statements[S];
      StructuredPtr Step = Here.Op.Kind == OperationKind::Nop && Here.Lost == None ? sequence({}) : leaf(S);
      for (StatementId Next : Here.Successors)
        add(S, Next, Step);
      if (Here.Successors.empty())
        add(S, End, Step);
    }
  }

  StructuredPtr run() {
    for (auto &[State, Unused] : Outgoing)
      weigh(State);
    while (!Order.empty())
      eliminate(Order.begin()->second);
    auto Found = Outgoing[Start].find(End);
    return Found == Outgoing[Start].end() ? sequence({}) : Found->second;
  }

private:
  void add(unsigned From, unsigned To, StructuredPtr Label) {
    auto [Edge, New] = Outgoing[From].try_emplace(To, Label);
    if (!New)
      Edge->second = choice(Edge->second, Label);
    Incoming[To][From] = true;
    Outgoing[To];
  }

  using Cost = std::pair<double, std::size_t>;

  /// The text that stands there once more when the state goes, and how many edges there will be instead.
  Cost costOf(unsigned State) {
    const auto &Out = Outgoing[State];
    const auto &In = Incoming[State];
    const bool Self = Out.contains(State);
    const double Ins = In.size() - Self, Outs = Out.size() - Self;
    double Text = Self ? Out.at(State)->Length * (Ins * Outs - 1) : 0;
    for (auto &[From, Unused] : In)
      if (From != State)
        Text += Outgoing[From][State]->Length * (Outs - 1);
    for (auto &[To, Label] : Out)
      if (To != State)
        Text += Label->Length * (Ins - 1);
    return {Text, In.size() * Out.size()};
  }

  void forget(unsigned State) {
    if (auto Known = Costs.find(State); Known != Costs.end())
      Order.erase({Known->second, State});
  }
  void weigh(unsigned State) {
    if (State == Start || State == End)
      return;
    forget(State);
    Costs[State] = costOf(State);
    Order.insert({Costs[State], State});
  }

  void eliminate(unsigned State) {
    auto Out = Outgoing[State];
    auto In = Incoming[State];
    StructuredPtr Again = sequence({});
    if (auto Self = Out.find(State); Self != Out.end())
      Again = loop(Self->second);
    for (auto &[From, Unused] : In) {
      if (From == State)
        continue;
      StructuredPtr Into = Outgoing[From][State];
      Outgoing[From].erase(State);
      // A state that no path leaves is where the thread spins for ever; it may as well stop there.
      if (Out.empty() || (Out.size() == 1 && Out.contains(State)))
        add(From, End, sequence({Into, Again}));
      for (auto &[To, Label] : Out)
        if (To != State)
          add(From, To, sequence({Into, Again, Label}));
    }
    for (auto &[To, Label] : Out)
      Incoming[To].erase(State);
    forget(State);
    Outgoing.erase(State);
    Incoming.erase(State);
    for (auto &[From, Unused] : In)
      if (From != State)
        weigh(From);
    for (auto &[To, Unused] : Out)
      if (To != State)
        weigh(To);
  }

  unsigned Start, End;
  std::map<unsigned, std::map<unsigned, StructuredPtr>> Outgoing;
  std::map<unsigned, std::map<unsigned, bool>> Incoming;
  std::map<unsigned, Cost> Costs;
  std::set<std::pair<Cost, unsigned>> Order; ///< the states still there, the cheapest first
};

} // namespace

StructuredPtr structure(const Thread &T) { return Elimination(T).run(); }

} // namespace rdma
