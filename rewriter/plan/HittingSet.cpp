#include "rewriter/plan/HittingSet.h"

#include <coin/Cbc_C_Interface.h>

#include <algorithm>
#include <map>
#include <memory>
#include <numeric>
#include <set>

namespace rdma {
namespace {

/// Clauses that share no element can be hit one group after the other.
std::vector<std::vector<Clause>> components(const std::vector<Clause> &Clauses, std::size_t Elements) {
  std::vector<unsigned> Parent(Elements);
  std::iota(Parent.begin(), Parent.end(), 0);
  auto Root = [&](unsigned X) {
    while (Parent[X] != X)
      X = Parent[X] = Parent[Parent[X]];
    return X;
  };
  for (const Clause &C : Clauses)
    for (unsigned X : C)
      Parent[Root(X)] = Root(C.front());
  std::map<unsigned, std::vector<Clause>> Groups;
  for (const Clause &C : Clauses)
    Groups[Root(C.front())].push_back(C);
  std::vector<std::vector<Clause>> All;
  for (auto &[Id, Group] : Groups)
    All.push_back(std::move(Group));
  return All;
}

void solve(const std::vector<Clause> &Group, const std::vector<double> &Costs, double Seconds,
           HittingSet &Out) {
  std::map<unsigned, std::vector<int>> Rows; // per element, the clauses that it is in
  for (std::size_t I = 0; I < Group.size(); ++I)
    for (unsigned X : Group[I])
      Rows[X].push_back(int(I));
  std::vector<unsigned> Elements;
  std::vector<CoinBigIndex> Starts = {0};
  std::vector<int> Indices;
  std::vector<double> Objective;
  for (const auto &[X, In] : Rows) {
    Elements.push_back(X);
    Objective.push_back(Costs[X]);
    Indices.insert(Indices.end(), In.begin(), In.end());
    Starts.push_back(CoinBigIndex(Indices.size()));
  }
  std::vector<double> Ones(Indices.size(), 1), Zero(Elements.size()), One(Elements.size(), 1);
  std::vector<double> RowLower(Group.size(), 1), RowUpper(Group.size(), double(Elements.size()));
  std::unique_ptr<Cbc_Model, decltype(&Cbc_deleteModel)> Model(Cbc_newModel(), Cbc_deleteModel);
  Cbc_setLogLevel(Model.get(), 0);
  Cbc_loadProblem(Model.get(), int(Elements.size()), int(Group.size()), Starts.data(), Indices.data(),
                  Ones.data(), Zero.data(), One.data(), Objective.data(), RowLower.data(), RowUpper.data());
  for (int I = 0; I < int(Elements.size()); ++I)
    Cbc_setInteger(Model.get(), I);
  Cbc_setMaximumSeconds(Model.get(), std::max(Seconds, 1.0));
  Cbc_solve(Model.get());
  const double *Solution = Cbc_bestSolution(Model.get());
  Out.LowerBound += Cbc_isProvenOptimal(Model.get())
                        ? Cbc_getObjValue(Model.get())
                        : std::max(0.0, Cbc_getBestPossibleObjValue(Model.get()));
  for (std::size_t I = 0; I < Elements.size(); ++I)
    if (!Solution || Solution[I] > 0.5)
      Out.Chosen.push_back(Elements[I]);
}

} // namespace

HittingSet cheapestHittingSet(const std::vector<Clause> &Clauses, const std::vector<double> &Costs,
                              double Seconds) {
  HittingSet Out;
  for (const std::vector<Clause> &Group : components(Clauses, Costs.size())) {
    if (Group.size() > 1) {
      solve(Group, Costs, Seconds, Out);
      continue;
    }
    unsigned Best = *std::min_element(Group[0].begin(), Group[0].end(),
                                      [&](unsigned A, unsigned B) { return Costs[A] < Costs[B]; });
    Out.Chosen.push_back(Best);
    Out.LowerBound += Costs[Best];
  }
  std::sort(Out.Chosen.begin(), Out.Chosen.end());
  return Out;
}

HittingSet greedyHittingSet(const std::vector<Clause> &Clauses, const std::vector<double> &Costs) {
  std::map<unsigned, std::set<std::size_t>> Open;
  for (std::size_t I = 0; I < Clauses.size(); ++I)
    for (unsigned X : Clauses[I])
      Open[X].insert(I);
  HittingSet Out;
  for (;;) {
    auto Gain = [&](const auto &Entry) { return double(Entry.second.size()) / Costs[Entry.first]; };
    auto Best = std::max_element(Open.begin(), Open.end(),
                                 [&](const auto &A, const auto &B) { return Gain(A) < Gain(B); });
    if (Best == Open.end() || Best->second.empty())
      break;
    Out.Chosen.push_back(Best->first);
    for (std::size_t Hit : std::set<std::size_t>(Best->second))
      for (unsigned X : Clauses[Hit])
        Open[X].erase(Hit);
  }
  std::sort(Out.Chosen.begin(), Out.Chosen.end());
  return Out;
}

} // namespace rdma
