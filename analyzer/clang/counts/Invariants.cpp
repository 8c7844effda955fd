#include "analyzer/clang/counts/Facts.h"

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/strong_components.hpp>

namespace rdma::clang_ir {

using namespace llvm;

namespace {

constexpr unsigned MostModels = 1'500, MostCases = 2, MostSites = 8;
/// Of the solver's own steps, for one question: the same on every machine.
constexpr unsigned MostSteps = 600'000;

Integer valueIn(const z3::model &M, const z3::expr &E) {
  std::string Text = M.eval(E, true).get_decimal_string(0);
  return Integer(Text);
}

} // namespace

Invariants::Invariants(System &S, const std::set<const Instruction *> &Watched, Budget &Cost, Effort Given)
    : S(S), Watched(Watched), Cost(Cost), Given(Given) {
  for (const PostSite &P : S.T.Posts)
    if (S.follows(P))
      Sites.push_back(&P);
  if (Sites.size() > MostSites)
    Sites = {nullptr};
  for (System::Cut C : S.cuts()) {
    Places.push_back(std::make_unique<Place>(S, C));
    Places.back()->Way.watch(Watched);
    Places.back()->Way.encode();
  }
}

Invariants::~Invariants() = default;

unsigned Invariants::indexOf(System::Cut C) const {
  for (unsigned I = 0; I < Places.size(); ++I)
    if (Places[I]->Where == C)
      return I;
  llvm_unreachable("an exit leads to a cut");
}

/// What a loop before the cut has counted up to, though the program may not look at it again.
void Invariants::recallSums() {
  for (auto &P : Places)
    for (System::Cut Earlier : S.cuts())
      if (P->Where && Earlier && Earlier != P->Where && S.T.Tree.dominates(Earlier, P->Where) &&
          !S.T.Loops.getLoopFor(Earlier)->contains(P->Where))
        for (const PHINode &Phi : Earlier->phis())
          if (Phi.getType()->isIntegerTy())
            P->Way.value(&Phi);
}

void Invariants::listTerms() {
  recallSums();
  // What a region needs from before is a term at its cut, so the regions that lead there may need it too.
  for (bool More = true; More;) {
    More = false;
    for (auto &From : Places)
      for (const Region::Exit &E : From->Way.exits()) {
        std::vector<const Value *> Needed = at(E.To).Way.fromBefore();
        std::size_t Had = From->Way.fromBefore().size();
        for (const Value *V : Needed)
          From->Way.valueAt(E, V);
        More |= From->Way.fromBefore().size() != Had;
      }
  }
  for (auto &P : Places) {
    P->Pending[0].resize(Sites.size());
    Facts &Always = P->Always[0];
    std::vector<Term> &All = Always.Terms;
    for (const Value *V : P->Way.fromBefore())
      if (All.size() < MostTerms / 2 && S.matters(*V) &&
          (V->getType()->isIntegerTy() || V->getType()->isPointerTy()))
        All.push_back({Term::Kind::Value, V});
    for (unsigned C = 0; C < S.Memory.all().size(); ++C)
      if (S.counts(C))
        All.push_back({Term::Kind::Variable, nullptr, S.cell(C)});
    for (unsigned Q = 0; Q < S.Queues.size(); ++Q)
      for (unsigned G : {S.out(Q), S.taken(Q)})
        All.push_back({Term::Kind::Variable, nullptr, G});
    auto add = [](std::vector<Term> &To, unsigned G) { To.push_back({Term::Kind::Variable, nullptr, G}); };
    if (S.HasFamilies)
      add(All, S.focus());
    if (S.HasIds)
      add(All, S.id()), add(All, S.outId()), add(All, S.topId());
    for (unsigned G = S.filled(0); G < S.then(0); ++G)
      add(All, G);
    for (unsigned G = S.then(S.Snapped.size()); G < S.width(); ++G)
      add(All, G);
    for (unsigned Site = 0; Site < Sites.size(); ++Site) {
      std::vector<Term> &Pending = P->Pending[0][Site].Terms = All;
      for (unsigned G : {S.left(), S.offset(), S.length()})
        add(Pending, G);
      if (!Sites[Site])
        add(Pending, S.site());
      if (S.LeavesOut)
        add(Pending, S.calls());
      if (S.HasIds)
        add(Pending, S.leftId()), add(Pending, S.topBefore());
      for (unsigned N = 0; N < S.Snapped.size(); ++N)
        if (Pending.size() < MostTerms && (!Sites[Site] || S.recalls(*Sites[Site], N)))
          add(Pending, S.then(N));
    }
    listCases(*P);
    std::vector<Facts *> Each{&Always};
    for (Facts &Pending : P->Pending[0])
      Each.push_back(&Pending);
    for (Facts *Some : Each) {
      if (Given.Signless)
        addSignless(Some->Terms);
      addDistances(Some->Terms);
      addSteps(Some->Terms);
      addRemainders(Some->Terms);
      addResidues(Some->Terms);
    }
    // max(n, 0): a loop that runs n times does not run when n is negative.
    unsigned Plain = All.size();
    for (unsigned I = 0; I < Plain; ++I)
      if (All[I].What == Term::Kind::Value && !isa<PHINode>(All[I].V) && All[I].V->getType()->isIntegerTy())
        All.push_back({Term::Kind::AtLeastZero, nullptr, 0, static_cast<int>(I)});
    for (Facts *F : Each) {
      F->Hull = AffineHull(F->Terms.size());
      int Count = F->Terms.size();
      for (int I = 0; I < Count; ++I)
        if (F->Terms[I].What != Term::Kind::Residue && F->Terms[I].Round < 0) {
          F->Bounds.push_back({I, -1, {}, {}});
          F->Bounds.back().Fine =
              F->Terms[I].What == Term::Kind::Variable && F->Terms[I].Variable == S.length();
        }
      for (int I = 0; I < Count; ++I)
        for (int J = I + 1; J < Count; ++J)
          if (F == &Always ? compared(F->Terms[I], F->Terms[J])
                           : tied(F->Terms, I, J) || tied(F->Terms, J, I))
            F->Bounds.push_back({I, J, {}, {}});
      // No more credits are taken than there were at first, and have been seen to be given.
      for (int I = 0; I < Count && F == &Always; ++I)
        for (int J = 0; J < Count; ++J)
          if (areCredits(F->Terms[I], F->Terms[J]))
            F->Bounds.push_back({I, J, {}, {}, true});
      // A completion with the id is still out, or among those that the poll has filled.
      auto at = [&](int I, unsigned G) {
        return F->Terms[I].What == Term::Kind::Variable && F->Terms[I].Variable == G;
      };
      for (unsigned B = 0; S.HasIds && B < S.Batches.size(); ++B)
        for (int I = 0; I < Count; ++I)
          for (int J = I + 1; J < Count; ++J)
            if (at(I, S.outId()) && at(J, S.withId(B)))
              F->Bounds.push_back({I, J, {}, {}, true});
    }
    P->Always.resize(1u << P->Cases.size(), Always);
    P->Pending.resize(1u << P->Cases.size(), P->Pending[0]);
    P->Solver = std::make_unique<z3::solver>(S.Context);
    z3::params Options(S.Context);
    Options.set("rlimit", MostSteps);
    P->Solver->set(Options);
    P->Solver->add(P->Way.assumptions());
    P->Assumed = P->Way.assumptions().size();
  }
}

/// Two at most: the indices of the innermost loop first, and what is tested for zero.
void Invariants::listCases(Place &P) {
  const std::vector<Term> &Terms = P.Always[0].Terms;
  auto position = [&](unsigned Variable) {
    for (unsigned I = 0; I < Terms.size(); ++I)
      if (Terms[I].What == Term::Kind::Variable && Terms[I].Variable == Variable)
        return static_cast<int>(I);
    return -1;
  };
  auto phis = [&](const std::set<const PHINode *> &Some, int Focus, bool Own) {
    for (unsigned I = Terms.size(); I-- > 0 && Focus >= 0 && P.Cases.size() < MostCases;)
      if (auto *Phi = Terms[I].What == Term::Kind::Value ? dyn_cast<PHINode>(Terms[I].V) : nullptr)
        if (Some.count(Phi) && (Phi->getParent() == P.Where) == Own)
          P.Cases.push_back({I, Focus});
  };
  int Index = S.HasFamilies ? position(S.focus()) : -1, Id = S.HasIds ? position(S.id()) : -1;
  phis(S.Indices, Index, true);
  phis(S.Ids, Id, true);
  for (unsigned E = 0; E < S.Elements.size() && P.Cases.size() < MostCases; ++E)
    P.Cases.push_back({static_cast<unsigned>(position(S.element(E))), -1});
  phis(S.Indices, Index, false);
  phis(S.Ids, Id, false);
  // The first round, where it is left out of what each group of rounds begins with.
  for (unsigned I = 0; I < Terms.size() && P.Cases.size() < MostCases; ++I)
    if (beginsGroups(Terms, I))
      P.Cases.push_back({I, -1});
  if (std::optional<Case> Last = lastRound(P); Last && P.Cases.size() < MostCases)
    P.Cases.push_back(*Last);
}

z3::expr Invariants::inCase(const Place &P, unsigned K, const std::vector<z3::expr> &Terms) {
  z3::expr_vector All(S.Context);
  for (unsigned I = 0; I < P.Cases.size(); ++I) {
    const Case &C = P.Cases[I];
    z3::expr Yes = C.Against < 0 ? Terms[C.Term] == S.Context.int_val(C.Number)
                   : C.Equal     ? Terms[C.Term] == Terms[C.Against]
                                 : Terms[C.Term] > Terms[C.Against];
    All.push_back(K >> I & 1 ? Yes : !Yes);
  }
  return z3::mk_and(All);
}

/// Is a request followed that this post has posted?
z3::expr Invariants::follows(const State &Now, unsigned Site) {
  z3::expr Pending = Now[S.pending()] == 1;
  return Sites[Site] ? Pending && Now[S.site()] == static_cast<int>(S.number(*Sites[Site])) : Pending;
}

/// All that is known at a cut, of these values of its terms.
z3::expr Invariants::holds(const Place &P, const Values &Of) {
  z3::expr_vector All(S.Context);
  for (unsigned K = 0; K < P.Always.size(); ++K) {
    z3::expr Here = holds(P.Always[K], Of.Always);
    for (unsigned Site = 0; Site < Sites.size(); ++Site)
      Here = Here && z3::implies(Of.Followed[Site], holds(P.Pending[K][Site], Of.Pending[Site]));
    All.push_back(z3::implies(inCase(P, K, Of.Always), Here));
  }
  return z3::mk_and(All);
}

Invariants::Values Invariants::valuesOf(Place &P, Region &In, const State &Now,
                                        const std::function<z3::expr(const Value *)> &Of) {
  Values All{termsOf(P.Always[0].Terms, In, Now, Of), {}, {}};
  for (unsigned Site = 0; Site < Sites.size(); ++Site) {
    All.Pending.push_back(termsOf(P.Pending[0][Site].Terms, In, Now, Of));
    All.Followed.push_back(follows(Now, Site));
  }
  return All;
}

std::vector<z3::expr> Invariants::termsOf(const std::vector<Term> &Terms, Region &In, const State &Now,
                                          const std::function<z3::expr(const Value *)> &Of) {
  std::vector<z3::expr> All;
  for (const Term &T : Terms)
    All.push_back(T.What == Term::Kind::Value      ? Of(T.V)
                  : T.What == Term::Kind::Variable ? Now[T.Variable]
                                                   : derived(T, All, In));
  return All;
}

z3::expr Invariants::holds(const Facts &F, const std::vector<z3::expr> &Terms) {
  if (F.Hull.empty())
    return S.Context.bool_val(false);
  z3::expr_vector All(S.Context);
  auto number = [&](const Integer &N) { return S.Context.int_val(N.str().c_str()); };
  for (const Equation &E : F.Hull.equations()) {
    z3::expr Sum = S.Context.int_val(0);
    for (unsigned I = 0; I < Terms.size(); ++I)
      if (E.Factors[I] != 0)
        Sum = Sum + number(E.Factors[I]) * Terms[I];
    All.push_back(Sum == number(E.Constant));
  }
  for (const Facts::Bound &B : F.Bounds) {
    if (B.Least)
      All.push_back(B.of(Terms) >= number(*B.Least));
    if (B.Most)
      All.push_back(B.of(Terms) <= number(*B.Most));
  }
  return z3::mk_and(All);
}

/// What the region has come to assume of remainders.
void Invariants::addRelated(Place &P) {
  for (unsigned I = P.Assumed; P.Way.dividesByGiven() && I < P.Way.assumptions().size(); ++I)
    P.Solver->add(P.Way.assumptions()[I]);
}

z3::expr Invariants::known(Place &P) {
  if (!P.Where) { // the entry: nothing is posted yet, and what is initialised is as it says
    z3::expr All = P.Way.atStart()[S.pending()] == 0;
    for (unsigned Q = 0; Q < S.Queues.size(); ++Q)
      All = All && P.Way.atStart()[S.out(Q)] == 0 && P.Way.atStart()[S.taken(Q)] == 0;
    for (unsigned C = 0; C < S.Memory.all().size(); ++C)
      if (auto Initial = S.initialOf(S.Memory.all()[C]))
        All = All && P.Way.atStart()[S.cell(C)] == S.Context.int_val(*Initial);
    for (unsigned G = S.left(); G < S.width(); ++G)
      if (!(S.HasFamilies && G == S.focus()) && !(S.HasIds && G == S.id()) &&
          !(G >= S.element(0) && G < S.then(0)))
        All = All && P.Way.atStart()[G] == 0;
    for (unsigned E = 0; E < S.Elements.size(); ++E)
      if (S.Elements[E].Zeroed)
        All = All && P.Way.atStart()[S.element(E)] == 0;
    if (S.HasFamilies)
      All = All && P.Way.atStart()[S.focus()] >= 0;
    return All;
  }
  return holds(P, valuesOf(P, P.Way, P.Way.atStart(), [&](const Value *V) { return P.Way.value(V); }));
}

/// Weakens what is known at the exit's target until nothing leads out of it. False: given up.
bool Invariants::push(Place &From, const Region::Exit &E) {
  Place &To = at(E.To);
  const Values Of =
      valuesOf(To, From.Way, From.Way.after(E), [&](const Value *V) { return From.Way.valueAt(E, V); });
  z3::solver &Solver = *From.Solver;
  Solver.push();
  Solver.add(E.Taken);
  addRelated(From);
  bool Done = false;
  while (!Done && Models < MostModels && !Cost.spent()) {
    Solver.push();
    Solver.add(!holds(To, Of));
    z3::check_result Answer = Cost.ask(Solver);
    if (Answer == z3::unknown) {
      Models = MostModels;
    } else if (Answer == z3::unsat) {
      Done = true;
    } else {
      ++Models;
      z3::model M = Solver.get_model();
      auto weaken = [&](Facts &F, const std::vector<z3::expr> &Terms) {
        std::vector<Integer> Point;
        for (const z3::expr &T : Terms)
          Point.push_back(valueIn(M, T));
        F.Hull.add(Point);
        for (Facts::Bound &B : F.Bounds) {
          const Integer Apart = B.of(Point);
          const std::vector<Integer> &Limits = B.Fine ? AllLimits : this->Limits;
          // The nearest limit that still holds.
          if (B.Empty || (B.Most && Apart > *B.Most)) {
            auto Up = std::lower_bound(Limits.begin(), Limits.end(), Apart);
            B.Most = Up == Limits.end() ? std::nullopt : std::optional(*Up);
          }
          if (B.Empty || (B.Least && Apart < *B.Least)) {
            auto Down = std::upper_bound(Limits.begin(), Limits.end(), Apart);
            B.Least = Down == Limits.begin() ? std::nullopt : std::optional(*std::prev(Down));
          }
          B.Empty = false;
        }
      };
      unsigned K = 0;
      while (K + 1 < To.Always.size() && !M.eval(inCase(To, K, Of.Always), true).is_true())
        ++K;
      weaken(To.Always[K], Of.Always);
      for (unsigned Site = 0; Site < Sites.size(); ++Site)
        if (M.eval(Of.Followed[Site], true).is_true())
          weaken(To.Pending[K][Site], Of.Pending[Site]);
      To.Reached = To.Stale = true;
    }
    Solver.pop();
  }
  Solver.pop();
  return Done;
}

/// For each place the number of its group: loops that lead to each other. Those that others lead to come
/// later, and have lower numbers.
void Invariants::findGroups() {
  boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS> Ways(Places.size());
  for (unsigned From = 0; From < Places.size(); ++From)
    for (const Region::Exit &E : Places[From]->Way.exits())
      boost::add_edge(From, indexOf(E.To), Ways);
  Groups.resize(Places.size());
  Open = boost::strong_components(Ways, Groups.data());
}

/// All that holds in the loops of a group. What comes behind them waits until then: found before, it would
/// only have to be weakened again.
bool Invariants::settle(unsigned Group) {
  auto isHere = [&](const Region::Exit &E) { return Groups[indexOf(E.To)] == Group; };
  for (unsigned I = 0; I < Places.size(); ++I)
    for (const Region::Exit &E : Places[I]->Way.exits())
      if (Groups[I] > Group && isHere(E) && !push(*Places[I], E))
        return false;
  for (bool Again = true; std::exchange(Again, false);)
    for (unsigned I = 0; I < Places.size(); ++I) {
      if (Groups[I] != Group || !std::exchange(Places[I]->Stale, false))
        continue;
      Again = true;
      Place &P = *Places[I];
      P.Solver->push();
      P.Solver->add(known(P));
      addRelated(P);
      bool Fine = true;
      for (const Region::Exit &E : P.Way.exits())
        Fine = Fine && (!isHere(E) || push(P, E));
      P.Solver->pop();
      if (!Fine)
        return false;
    }
  for (unsigned I = 0; I < Places.size(); ++I) {
    if (Groups[I] != Group)
      continue;
    Place &P = *Places[I];
    P.Solver->add(P.Reached ? known(P) : S.Context.bool_val(false));
    addRelated(P);
  }
  Open = Group;
  return true;
}

bool Invariants::find() {
  for (auto &P : Places)
    if (!P->Way.acyclic())
      return false;
  listLimits();
  listTerms();
  if (Given.Signless && !AnySignless)
    return false;
  Places.front()->Reached = Places.front()->Stale = true;
  findGroups();
  unsigned Last = Open;
  for (unsigned I = 0; I < Places.size(); ++I)
    if (any_of(Watched, [&](const Instruction *Asked) { return Places[I]->Way.before(Asked); }))
      Last = std::min(Last, Groups[I]);
  while (Open > Last)
    if (!settle(Open - 1))
      return false;
  return true;
}

bool Invariants::findRest() {
  while (Open > 0)
    if (!settle(Open - 1))
      return false;
  return true;
}

bool Invariants::possible(const std::function<std::optional<z3::expr>(Region &)> &Where) {
  for (auto &P : Places) {
    if (Cost.spent())
      return true;
    std::optional<z3::expr> Formula = Where(P->Way);
    if (!Formula)
      continue;
    if (Groups[indexOf(P->Where)] < Open)
      return true;
    P->Solver->push();
    // What the formula brought up is in the bounds of its type.
    for (unsigned I = P->Assumed; I < P->Way.assumptions().size(); ++I)
      P->Solver->add(P->Way.assumptions()[I]);
    P->Solver->add(*Formula);
    z3::check_result Answer = Cost.ask(*P->Solver);
    P->Solver->pop();
    if (Answer != z3::unsat)
      return true;
  }
  return false;
}

} // namespace rdma::clang_ir
