// What the entries of a node are given by callers who are not in the sources.
#pragma once

#include "analyzer/clang/program/Inventory.h"
#include "analyzer/clang/program/Remarks.h"

namespace rdma::clang_ir {

/// Threads of one node that take pointers of one type may be given the same
/// object, unless the callers in the sources show otherwise; of several such
/// pointers, the first the first, the second the second.
std::vector<GivenObject> givenTo(const llvm::Function &F);

/// Pointers of different types may lead to one object, too: where one type is part of the other, or is none.
class ArgumentsOfNode {
public:
  /// An entry that has been extracted.
  void add(const llvm::Function &F, ThreadIndex Index, PointsTo &Memory, InstanceId Instance,
           Inventory &Stock);
  void compare(Inventory &Stock, RemarkLog &Log) const;

private:
  struct Given {
    const llvm::Function *F;
    ThreadIndex Index;
    const Origin *Block;
    ObjectId Object;
    std::string Called; ///< "'p' of 'run'"
  };
  std::vector<Given> All;
};

} // namespace rdma::clang_ir
