// The memory of a thread that is replayed: blocks of bytes, as far as they are known.
#pragma once

#include <llvm/IR/Constants.h>
#include <llvm/IR/DataLayout.h>

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace rdma::clang_ir {

using BlockId = unsigned;

/// What a register or a piece of memory holds.
struct Datum {
  enum class Kind : std::uint8_t { Unknown, Number, Address, Several } What = Kind::Unknown;
  std::uint64_t Bits = 0; ///< Number: not extended beyond its width
  BlockId Block = 0;      ///< Address: so many bytes into the block
  std::int64_t Offset = 0;
  std::vector<Datum> Parts = {}; ///< Several: the members of a struct
  bool Chosen = false;           ///< nobody says that it is this one: where it leads to an end it is another
  static Datum number(std::uint64_t N) { return {Kind::Number, N}; }
  static Datum chosen(std::uint64_t N) {
    Datum D = number(N);
    D.Chosen = true;
    return D;
  }
  static Datum address(BlockId Block, std::int64_t Offset = 0) { return {Kind::Address, 0, Block, Offset}; }
  bool operator==(const Datum &) const = default;
  bool isNumber() const { return What == Kind::Number; }
  bool isAddress() const { return What == Kind::Address; }
};

class Heap {
public:
  explicit Heap(const llvm::DataLayout &Layout) : Layout(Layout) {}

  /// What bytes hold that nobody has written. Given: what whoever calls the thread gives it, pointers to
  /// memory of their own and else zeros.
  enum class Before : std::uint8_t { Nothing, Zeros, Given, Initial };
  BlockId add(Before Has, const llvm::GlobalVariable *Of = nullptr);
  BlockId blockOf(const llvm::GlobalValue &Global);
  Datum constant(const llvm::Constant &C);

  Datum load(BlockId Block, std::int64_t At, std::int64_t Size, bool IsPointer);
  void store(BlockId Block, std::int64_t At, std::int64_t Size, Datum What);
  /// Has: not Initial.
  void fill(BlockId Block, std::int64_t At, std::int64_t Size, Before Has);
  void copy(BlockId To, std::int64_t At, BlockId From, std::int64_t Begin, std::int64_t Size);
  /// The block as if it were new.
  void renew(BlockId Block, Before Has);
  /// Grows with each of these; a new block by itself changes nothing.
  std::uint64_t changes() const { return Changes; }

private:
  struct Piece {
    std::int64_t End;
    std::optional<Before> Filled; ///< else What, of the whole piece
    Datum What;
  };
  struct Contents {
    Before Has;
    const llvm::GlobalVariable *Of;
    std::map<std::int64_t, Piece> Pieces; ///< by where they begin; none overlap
  };
  void carve(Contents &In, std::int64_t Begin, std::int64_t End);
  Datum fresh(Contents &In, Before Has, std::int64_t At, std::int64_t Size, bool IsPointer);
  Datum initial(const llvm::GlobalVariable &Of, std::int64_t At, std::int64_t Size, bool IsPointer);

  const llvm::DataLayout &Layout;
  std::uint64_t Changes = 0;
  std::vector<Contents> Blocks;
  std::map<const llvm::GlobalValue *, BlockId> Globals;
};

} // namespace rdma::clang_ir
