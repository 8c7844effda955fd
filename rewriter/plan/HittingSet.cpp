#include "rewriter/plan/HittingSet.h"

#include <coin/Cbc_C_Interface.h>

#include <algorithm>
#include <map>
#include <memory>
#include <numeric>
#include <set>

namespace rdma {
namespace {

/// Clauses that share no element, nor a cost, can be hit one group after the other.
std::vector<std::vector<Clause>> components(const std::vector<Clause> &Clauses, const Prices &Costs) {
  std::vector<unsigned> Parent(Costs.Each.size());
  std::iota(Parent.begin(), Parent.end(), 0);
  auto Root = [&](unsigned X) {
    while (Parent[X] != X)
      X = Parent[X] = Parent[Parent[X]];
    return X;
  };
  for (const Clause &C : Clauses)
    for (unsigned X : C)
      Parent[Root(X)] = Root(C.front());
  for (const Prices::Common &Shared : Costs.Shared)
    for (unsigned X : Shared.Of)
      Parent[Root(X)] = Root(Shared.Of.front());
  std::map<unsigned, std::vector<Clause>> Groups;
  for (const Clause &C : Clauses)
    Groups[Root(C.front())].push_back(C);
  std::vector<std::vector<Clause>> All;
  for (auto &[Id, Group] : Groups)
    All.push_back(std::move(Group));
  return All;
}

/// By element, the number of its common cost; that of none is their count.
std::vector<std::size_t> commonOf(const Prices &Costs) {
  std::vector<std::size_t> Of(Costs.Each.size(), Costs.Shared.size());
  for (std::size_t Common = 0; Common < Costs.Shared.size(); ++Common)
    for (unsigned X : Costs.Shared[Common].Of)
      Of[X] = Common;
  return Of;
}

/// A program for CBC, column by column: each is 0 or 1. A row for each clause, whose elements sum up to one
/// at least; and one for each element with a common cost, which is no more than that cost's own column.
class Columns {
public:
  Columns(const std::vector<Clause> &Group, const Prices &Costs, const std::vector<std::size_t> &Common)
      : Rows(Group.size()) {
    std::map<unsigned, std::vector<int>> In; // per element, the clauses that it is in
    for (std::size_t I = 0; I < Group.size(); ++I)
      for (unsigned X : Group[I])
        In[X].push_back(int(I));
    std::map<std::size_t, std::vector<int>> Links;
    for (const auto &[X, Clauses] : In) {
      Elements.push_back(X);
      for (int Row : Clauses)
        put(Row, 1);
      if (Common[X] < Costs.Shared.size()) {
        put(int(Rows), -1);
        Links[Common[X]].push_back(int(Rows++));
      }
      end(Costs.Each[X]);
    }
    for (const auto &[Shared, Of] : Links) {
      for (int Row : Of)
        put(Row, 1);
      end(Costs.Shared[Shared].Cost);
    }
    Lower.resize(Rows, 0);
    std::fill_n(Lower.begin(), Group.size(), 1);
  }

  void load(Cbc_Model *Model) const {
    const std::size_t Count = Objective.size();
    std::vector<double> Zero(Count), One(Count, 1), Upper(Rows, double(Count));
    Cbc_loadProblem(Model, int(Count), int(Rows), Starts.data(), Indices.data(), Values.data(), Zero.data(),
                    One.data(), Objective.data(), Lower.data(), Upper.data());
    for (int I = 0; I < int(Count); ++I)
      Cbc_setInteger(Model, I);
  }

  std::vector<unsigned> Elements; ///< of the first columns

private:
  void put(int Row, double Value) {
    Indices.push_back(Row);
    Values.push_back(Value);
  }
  void end(double Cost) {
    Objective.push_back(Cost);
    Starts.push_back(CoinBigIndex(Indices.size()));
  }

  std::size_t Rows;
  std::vector<CoinBigIndex> Starts = {0};
  std::vector<int> Indices;
  std::vector<double> Values, Objective, Lower;
};

void solve(const std::vector<Clause> &Group, const Prices &Costs, const std::vector<std::size_t> &Common,
           double Seconds, HittingSet &Out) {
  std::unique_ptr<Cbc_Model, decltype(&Cbc_deleteModel)> Model(Cbc_newModel(), Cbc_deleteModel);
  Cbc_setLogLevel(Model.get(), 0);
  Columns Problem(Group, Costs, Common);
  Problem.load(Model.get());
  Cbc_setMaximumSeconds(Model.get(), std::max(Seconds, 1.0));
  Cbc_solve(Model.get());
  const double *Solution = Cbc_bestSolution(Model.get());
  Out.LowerBound += Cbc_isProvenOptimal(Model.get())
                        ? Cbc_getObjValue(Model.get())
                        : std::max(0.0, Cbc_getBestPossibleObjValue(Model.get()));
  for (std::size_t I = 0; I < Problem.Elements.size(); ++I)
    if (!Solution || Solution[I] > 0.5)
      Out.Chosen.push_back(Problem.Elements[I]);
}

} // namespace

HittingSet cheapestHittingSet(const std::vector<Clause> &Clauses, const Prices &Costs, double Seconds) {
  HittingSet Out;
  const std::vector<std::size_t> Common = commonOf(Costs);
  auto Alone = [&](unsigned X) {
    return Costs.Each[X] + (Common[X] < Costs.Shared.size() ? Costs.Shared[Common[X]].Cost : 0);
  };
  for (const std::vector<Clause> &Group : components(Clauses, Costs)) {
    if (Group.size() > 1) {
      solve(Group, Costs, Common, Seconds, Out);
      continue;
    }
    unsigned Best = *std::min_element(Group[0].begin(), Group[0].end(),
                                      [&](unsigned A, unsigned B) { return Alone(A) < Alone(B); });
    Out.Chosen.push_back(Best);
    Out.LowerBound += Alone(Best);
  }
  std::sort(Out.Chosen.begin(), Out.Chosen.end());
  return Out;
}

HittingSet greedyHittingSet(const std::vector<Clause> &Clauses, const Prices &Costs) {
  std::map<unsigned, std::set<std::size_t>> Open;
  for (std::size_t I = 0; I < Clauses.size(); ++I)
    for (unsigned X : Clauses[I])
      Open[X].insert(I);
  const std::vector<std::size_t> Common = commonOf(Costs);
  std::vector<double> Left; // of common costs, to be paid yet
  for (const Prices::Common &Shared : Costs.Shared)
    Left.push_back(Shared.Cost);
  Left.push_back(0);
  HittingSet Out;
  for (;;) {
    auto Gain = [&](const auto &Entry) {
      return double(Entry.second.size()) / (Costs.Each[Entry.first] + Left[Common[Entry.first]]);
    };
    auto Best = std::max_element(Open.begin(), Open.end(),
                                 [&](const auto &A, const auto &B) { return Gain(A) < Gain(B); });
    if (Best == Open.end() || Best->second.empty())
      break;
    Out.Chosen.push_back(Best->first);
    Left[Common[Best->first]] = 0;
    for (std::size_t Hit : std::set<std::size_t>(Best->second))
      for (unsigned X : Clauses[Hit])
        Open[X].erase(Hit);
  }
  std::sort(Out.Chosen.begin(), Out.Chosen.end());
  return Out;
}

} // namespace rdma
