// Statements of loops, as short as they are drawn.
#pragma once

#include "LoopProgram.h"

namespace rdma::test {

inline LoopStatement set(LoopExpr Place, LoopExpr Value) {
  return {.What = LoopStatement::Kind::Set, .Place = std::move(Place), .Value = std::move(Value)};
}
inline LoopStatement add(const LoopExpr &Place, LoopExpr Some) { return set(Place, Place + std::move(Some)); }
inline LoopStatement less(const LoopExpr &Place, LoopExpr Some) {
  return set(Place, Place - std::move(Some));
}
inline LoopStatement write(unsigned Buffer, LoopExpr Slot) {
  return {.What = LoopStatement::Kind::Write, .Value = std::move(Slot), .Variable = Buffer};
}
inline LoopStatement read(unsigned Buffer, LoopExpr Slot) {
  return {.What = LoopStatement::Kind::Read, .Value = std::move(Slot), .Variable = Buffer};
}
inline LoopStatement post(LoopExpr End, LoopRequest R) {
  return {.What = LoopStatement::Kind::Post, .End = std::move(End), .Request = std::move(R)};
}
inline LoopStatement list(unsigned Counter, unsigned Length, LoopExpr End, LoopRequest R) {
  return {.What = LoopStatement::Kind::List,
          .Value = number(Length),
          .End = std::move(End),
          .Variable = Counter,
          .Most = Length,
          .Request = std::move(R)};
}
inline LoopStatement poll(LoopExpr End, unsigned Most, LoopBlock Then, LoopBlock Each = {}) {
  return {.What = LoopStatement::Kind::Poll,
          .End = std::move(End),
          .Most = Most,
          .Then = std::move(Then),
          .Each = std::move(Each)};
}
inline LoopStatement take(LoopExpr End) { return {.What = LoopStatement::Kind::Take, .End = std::move(End)}; }
inline LoopStatement when(LoopExpr Value, LoopBlock Then) {
  return {.What = LoopStatement::Kind::If, .Value = std::move(Value), .Then = std::move(Then)};
}
inline LoopStatement loop(LoopExpr Value, LoopBlock Then) {
  return {.What = LoopStatement::Kind::While, .Value = std::move(Value), .Then = std::move(Then)};
}
inline LoopStatement times(unsigned Counter, LoopExpr Value, LoopBlock Then) {
  return {.What = LoopStatement::Kind::For,
          .Value = std::move(Value),
          .Variable = Counter,
          .Then = std::move(Then)};
}

inline LoopStatement breaks() { return {.What = LoopStatement::Kind::Break}; }
inline LoopStatement leaves() { return {.What = LoopStatement::Kind::Leave}; }

} // namespace rdma::test
