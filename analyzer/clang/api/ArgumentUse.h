// What a call of the table does to the memory that its arguments lead to.
#pragma once

#include "analyzer/clang/api/ApiTable.h"
#include "analyzer/clang/memory/Origin.h"

#include <llvm/IR/InstrTypes.h>

namespace rdma::clang_ir {

struct ArgumentUse {
  bool Reads = false, Writes = false;
  std::int64_t Size = Unbounded;
};

/// As the row says; an argument that it does not name is read and written as far as the type of the parameter
/// allows. Only a row that says Nothing, or that keeps addresses as such, leaves it alone.
ArgumentUse useOf(const llvm::CallBase &Call, unsigned Argument, const ApiRow &Row);

/// The part of an argument that a call writes, in bytes from where the argument leads.
struct WrittenPart {
  std::int64_t Begin = 0, Size = Unbounded;
};
/// The whole of what useOf says, but for the attributes that a queue pair is created with: their capacities
/// are written back, and rdma_create_qp writes the queues that it made; the type stays.
WrittenPart writtenPart(const llvm::CallBase &Call, unsigned Argument, const ApiRow &Row);

/// At most so many bytes of the argument are touched: what a value says (Length times Each), else Size.
struct ByteLimit {
  const llvm::Value *Length = nullptr;
  std::int64_t Size = Unbounded;
  std::int64_t Each = 1;
};
ByteLimit limitOf(const llvm::CallBase &Call, unsigned Argument, const ApiRow &Row);

/// So many bytes the call touches whenever it succeeds; none: perhaps nothing. Of a text that is the first
/// byte (Each is 0 then: if Length is not), and so it is where an end is not known. What a format names
/// counts where a constant one prints it as text.
std::optional<ByteLimit> leastOf(const llvm::CallBase &Call, unsigned Argument, const ApiRow &Row);

/// What the result of a call can be that says how much it has read or written: no less than Least, and no
/// more than the argument says, without sign. Absent: it is no such call.
struct ResultLimit {
  std::int64_t Least;
  const llvm::Value *Most;
};
std::optional<ResultLimit> resultLimit(const llvm::CallBase &Call);

/// What the call does to the memory that pointers lead to which are kept where the argument leads to: the
/// words of a list, what a std::string says, what a va_list names, the flags of getopt_long's options.
struct FurtherUse {
  unsigned Steps = 0;  ///< pointers to follow behind the argument; 0: the call follows none
  bool Writes = false; ///< else it reads only
  bool First = false;  ///< the pointer stands where the argument leads, and not further behind
};
FurtherUse furtherUse(const llvm::CallBase &Call, unsigned Argument, const ApiRow &Row);

/// May the call fill memory that is found through pointers behind the argument?
bool fillsFurther(const llvm::CallBase &Call, unsigned Argument, const ApiRow &Row);

/// Does it put what it reads from a stream into a std::string, its second argument?
bool fillsString(const ApiRow &Row);

/// mmap puts pages where others may be: only with MAP_FIXED.
bool mayMapOver(const llvm::CallBase &Mmap);

/// getopt and its like: they set variables of the C library, and those that their options name.
bool readsOptions(const ApiRow &Row);

/// All places of a block that may keep a pointer.
inline Pointer anyKept(const Origin *Block) { return {Block, 0, Unbounded, 0, {8}}; }

} // namespace rdma::clang_ir
