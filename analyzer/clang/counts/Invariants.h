// What holds at the cuts, every time: the strongest linear equations, and bounds on differences.
//
// Found from below: the facts at a cut begin with "never here", and as long as the solver finds a step from a
// state that the facts allow to one that they do not, they are weakened by just that state. They end when no
// step leads out of them, so what is left is inductive whatever was tried on the way. Equations: the affine
// hull, which grows at most once for each variable. Bounds: x - y and x alone, out of the constants that the
// program compares with. The ones about the followed request have a hull and bounds of their own, for each
// post that it may be of.
#pragma once

#include "analyzer/clang/counts/AffineHull.h"
#include "analyzer/clang/counts/Budget.h"
#include "analyzer/clang/counts/Region.h"

namespace rdma::clang_ir {

/// What is tried.
struct Effort {
  bool OnlySmall = false; ///< no bounds but -1, 0 and 1, which are soon found
  bool Signless = false;  ///< also numbers as the program takes them that have no sign
};

/// Without casts.
const llvm::Value *uncast(const llvm::Value *V);
/// And without constants that are added.
const llvm::Value *plain(const llvm::Value *V);

class Invariants {
public:
  /// The instructions whose states will be asked for. Cost: when it is spent, nothing more is concluded.
  Invariants(System &S, const std::set<const llvm::Instruction *> &Watched, Budget &Cost, Effort Given = {});
  ~Invariants();

  /// What holds up to the last loops in which one of the instructions is. False: given up; nothing may be
  /// concluded.
  bool find();
  /// And behind them. False: given up; of what is behind them nothing may be concluded.
  bool findRest();
  /// Can this hold, in any region in which Where finds a formula? Where: for a region the formula, or none.
  /// Where it is not known what holds, anything can.
  bool possible(const std::function<std::optional<z3::expr>(Region &)> &Where);

private:
  /// A value at a cut, as the program has it there.
  struct Term {
    enum class Kind { Value, Variable, Residue, AtLeastZero, Distance, Signless, Ahead, Remainder } What;
    const llvm::Value *V = nullptr; ///< Value
    unsigned Variable = 0;          ///< of the state
    int Of = -1;                    ///< of which term the others are
    std::int64_t Modulus = 0;
    int From = -1;          ///< Distance, Ahead: from which term,
    unsigned Bits = 0;      ///< of so many bits; Distance: in integers that wrap there; Remainder: of no sign
    std::int64_t Ahead = 0; ///< Residue: of so much more
    int Round = -1;         ///< Ahead: how many steps of an index it is that goes round at this term;
                            ///< Remainder: by which term
    bool operator==(const Term &) const = default;
  };
  static constexpr unsigned MostTerms = 40;
  struct Facts;
  struct Case;
  struct Place;
  bool areCredits(const Term &Own, const Term &Heard) const;
  void recallSums();
  void listTerms();
  void listLimits();
  bool limitsLoop(const llvm::Instruction &Limit) const;
  void addResidues(std::vector<Term> &Terms);
  std::set<std::int64_t> aheadAtPost(const Term &T, std::int64_t Modulus, std::set<std::int64_t> Ahead) const;
  void addDistances(std::vector<Term> &Terms);
  void addSignless(std::vector<Term> &Terms);
  void addSteps(std::vector<Term> &Terms);
  void addRemainders(std::vector<Term> &Terms);
  std::int64_t roundOf(const llvm::Instruction &I) const;
  std::optional<std::int64_t> aheadWhereKept(const llvm::Instruction &Test,
                                             const llvm::Instruction &Back) const;
  bool beginsGroups(const std::vector<Term> &Terms, int Of) const;
  bool steps(const Term &T) const;
  std::vector<int> uses(const llvm::Value *V, const std::vector<Term> &Terms) const;
  int termOf(const llvm::Value *V, const std::vector<Term> &Terms) const;
  int variableOf(const llvm::Value *V, const std::vector<Term> &Terms) const;
  bool isOfPost(const Term &Then, const llvm::Value *V) const;
  bool comparable(const Term &T) const;
  bool compared(const Term &A, const Term &B) const;
  bool tied(const Term &A, const Term &B) const;
  bool tied(const std::vector<Term> &Terms, int A, int B) const;
  /// Of the terms of a place; of those of a request of each post, and whether one is followed.
  struct Values {
    std::vector<z3::expr> Always;
    std::vector<std::vector<z3::expr>> Pending;
    std::vector<z3::expr> Followed;
  };
  /// In: the region that the values are of.
  Values valuesOf(Place &P, Region &In, const State &Now,
                  const std::function<z3::expr(const llvm::Value *)> &Of);
  std::vector<z3::expr> termsOf(const std::vector<Term> &Terms, Region &In, const State &Now,
                                const std::function<z3::expr(const llvm::Value *)> &Of);
  z3::expr follows(const State &Now, unsigned Site);
  z3::expr derived(const Term &T, const std::vector<z3::expr> &Terms, Region &In);
  static void addRelated(Place &P);
  z3::expr holds(const Facts &F, const std::vector<z3::expr> &Terms);
  void listCases(Place &P);
  std::optional<Case> lastRound(const Place &P) const;
  z3::expr inCase(const Place &P, unsigned K, const std::vector<z3::expr> &Terms);
  z3::expr holds(const Place &P, const Values &Of);
  z3::expr known(Place &P);
  bool push(Place &From, const Region::Exit &E);
  void findGroups();
  bool settle(unsigned Group);
  unsigned indexOf(System::Cut C) const;
  Place &at(System::Cut C) { return *Places[indexOf(C)]; }

  System &S;
  const std::set<const llvm::Instruction *> &Watched;
  std::vector<const PostSite *> Sites; ///< whose requests are followed; null: of any
  std::vector<std::unique_ptr<Place>> Places;
  std::vector<unsigned> Groups; ///< of the places;
  unsigned Open = 0;            ///< of those below this nothing is known yet
  std::vector<Integer> Limits, AllLimits;
  unsigned Models = 0;
  Budget &Cost;
  Effort Given;
  bool AnySignless = false;
};

} // namespace rdma::clang_ir
