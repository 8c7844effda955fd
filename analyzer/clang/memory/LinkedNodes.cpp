// The nodes of the C++ library's trees and lists, as the functions that link them find and leave them.
#include "analyzer/clang/api/NodeLinks.h"
#include "analyzer/clang/memory/PointsTo.h"

namespace rdma::clang_ir {

using namespace llvm;

PointerSet PointsTo::nodesOf(InstanceId I, const CallBase &Call, const NodeLinks &Links) {
  PointerSet Nodes;
  for (const Use &Argument : Call.args())
    if (Argument->getType()->isPointerTy())
      addAll(Nodes, of(I, Argument));
  for (bool Grown = true; Grown;) {
    Grown = false;
    for (const Pointer &Node : PointerSet(Nodes))
      for (std::int64_t Offset : Links.Pointers)
        if (Node.Base->named())
          Grown |= addAll(Nodes, contents(moved(Node, Offset), 8, true));
  }
  return Nodes;
}

/// Each may lead to each.
void PointsTo::linkNodes(InstanceId I, const CallBase &Call, const NodeLinks &Links) {
  if (!Links.Writes)
    return;
  const PointerSet Nodes = nodesOf(I, Call, Links);
  for (const Pointer &Node : Nodes)
    if (Node.Base->named()) {
      if (const std::int64_t Before = Links.Pointers.front())
        write(Node, Before, I, {Pointer{Number}});
      for (std::int64_t Offset : Links.Pointers)
        write(moved(Node, Offset), 8, I, Nodes);
    }
}

} // namespace rdma::clang_ir
