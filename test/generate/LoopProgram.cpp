#include "LoopProgram.h"

namespace rdma::test {

LoopExpr number(std::int64_t N) { return {.Number = N}; }
LoopExpr variable(unsigned V) { return {.What = LoopExpr::Kind::Variable, .Variable = V}; }
LoopExpr element(unsigned V, LoopExpr Index) {
  return {.What = LoopExpr::Kind::Element, .Variable = V, .Parts = {std::move(Index)}};
}
LoopExpr taken() { return {.What = LoopExpr::Kind::Taken}; }
LoopExpr id() { return {.What = LoopExpr::Kind::Id}; }
LoopExpr binary(LoopExpr A, const std::string &Op, LoopExpr B) {
  if (B.isNumber(0) && (Op == "+" || Op == "-"))
    return A;
  if (A.isNumber(0) && Op == "+")
    return B;
  return {.What = LoopExpr::Kind::Binary, .Op = Op, .Parts = {std::move(A), std::move(B)}};
}

namespace {

using Kind = LoopStatement::Kind;

/// Blocks that may stand in the place of a statement: nothing, what is in it, itself with less in it.
std::vector<LoopBlock> simpler(const LoopStatement &S);

std::vector<LoopBlock> simpler(const LoopBlock &Block) {
  std::vector<LoopBlock> All;
  for (std::size_t I = 0; I < Block.size(); ++I)
    for (const LoopBlock &Instead : simpler(Block[I])) {
      LoopBlock Less(Block.begin(), Block.begin() + I);
      Less.insert(Less.end(), Instead.begin(), Instead.end());
      Less.insert(Less.end(), Block.begin() + I + 1, Block.end());
      All.push_back(std::move(Less));
    }
  return All;
}

std::vector<LoopBlock> simpler(const LoopStatement &S) {
  std::vector<LoopBlock> All = {{}};
  if (S.What == Kind::If) {
    All.push_back(S.Then);
    All.push_back(S.Each);
  }
  for (const LoopBlock &Less : simpler(S.Then)) {
    LoopStatement With = S;
    With.Then = Less;
    All.push_back({With});
  }
  for (const LoopBlock &Less : simpler(S.Each)) {
    LoopStatement With = S;
    With.Each = Less;
    All.push_back({With});
  }
  if (S.What == Kind::Poll && S.Most > 1) {
    LoopStatement With = S;
    With.Most = 1;
    All.push_back({With});
  }
  return All;
}

} // namespace

std::vector<LoopProgram> smaller(const LoopProgram &P) {
  std::vector<LoopProgram> All;
  for (LoopBlock &Less : simpler(P.Body)) {
    All.push_back(P);
    All.back().Body = std::move(Less);
  }
  return All;
}

} // namespace rdma::test
