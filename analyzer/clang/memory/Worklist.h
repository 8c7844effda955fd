// Which steps of the points-to analysis are to be done again: those that have read a fact that has grown
// since.
//
// Steps are numbered in the order in which rounds do them, and a round does those that are due in that order;
// so the result is that of rounds that do every step each time.
#pragma once

#include <llvm/ADT/BitVector.h>
#include <llvm/ADT/SmallVector.h>

#include <cstdint>
#include <optional>
#include <vector>

namespace rdma::clang_ir {

using Step = unsigned;

class Worklist {
public:
  Step add() {
    Due.push_back(true);
    return Due.size() - 1;
  }
  /// A step that a round does at its end.
  Step addLate() {
    LateDue.push_back(true);
    return Late | (LateDue.size() - 1);
  }
  /// A step that is done as soon as somebody asks for what it finds.
  Step addAsked() {
    AskedDue.push_back(true);
    ++AskedCount;
    return Asked | (AskedDue.size() - 1);
  }
  void wake(Step S) {
    if (S & Late)
      LateDue.set(S & ~Late);
    else if (S & Asked)
      wakeAsked(S & ~Asked);
    else
      Due.set(S);
  }
  void wakeAll() { Due.set(), LateDue.set(), wakeAllAsked(); }
  void wakeAllAsked() { AskedDue.set(), AskedCount = AskedDue.size(); }
  bool any() const { return Due.any() || LateDue.any() || AskedCount; }
  /// The first step from this one on that is due; it no longer is. -1: none.
  int take(Step From) {
    int Next = From < Due.size() ? Due.find_first_in(From, Due.size()) : -1;
    if (Next >= 0)
      Due.reset(Next);
    return Next;
  }

  /// Is this late step due? It no longer is.
  bool takeLate(Step S) {
    bool Is = LateDue.test(S & ~Late);
    LateDue.reset(S & ~Late);
    return Is;
  }

  /// One of the steps that are done when asked for; it is no longer due. Those added last, which others wait
  /// for, come first, and each once before any comes twice.
  std::optional<Step> takeAsked();
  /// Its number, counted from zero.
  static unsigned numberOfAsked(Step S) { return S & ~Asked; }
  static Step askedOf(unsigned Number) { return Asked | Number; }

private:
  void wakeAsked(unsigned Number) {
    AskedCount += !AskedDue.test(Number);
    AskedDue.set(Number);
  }

  static constexpr Step Late = 1u << 31, Asked = 1u << 30;
  llvm::BitVector Due, LateDue, AskedDue;
  unsigned AskedCount = 0, Cursor = 0;
};

/// The steps that have read a fact since it grew last.
class Readers {
public:
  void add(Step Reader);
  void wake(Worklist &All);

private:
  llvm::SmallVector<Step, 4> Steps;
  unsigned Distinct = 0; ///< of the first so many steps, each is there once
};

/// The steps that have read bytes of a block.
class ByteReaders {
public:
  void add(std::int64_t Begin, std::int64_t End, Step Reader);
  void wake(std::int64_t Begin, std::int64_t End, Worklist &All);

private:
  struct Read {
    std::int64_t Begin, End;
    Step Reader;
    auto operator<=>(const Read &) const = default;
  };
  std::vector<Read> Reads;
  std::size_t Distinct = 0;
};

} // namespace rdma::clang_ir
