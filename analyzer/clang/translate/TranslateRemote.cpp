// Which memory of another node a request goes to.
#include "analyzer/clang/translate/RemoteFields.h"
#include "analyzer/clang/translate/Translator.h"

namespace rdma::clang_ir {

using namespace llvm;

namespace {

bool exact(const Sum &Address, std::optional<std::int64_t> Length) {
  return Address.Leaves.size() == 1 && Address.High != Unbounded && Address.Low >= 0 && Length;
}

} // namespace

std::vector<Translator::Remote> Translator::regions(const Sum &Address, const Value *Whole,
                                                    const CallBase &Call, std::optional<std::int64_t> Length,
                                                    NodeId Target) {
  std::vector<Remote> All;
  const bool Exact = exact(Address, Length);
  for (const Value *Leaf : Address.Leaves)
    for (const RemoteName &Named : In.Fields->names(Leaf)) {
      const std::vector<NodeId> &Copies = Stock.copies(Named.Node);
      if (std::find(Copies.begin(), Copies.end(), Target) == Copies.end())
        continue;
      Access A = Stock.named(Target, Named.Object);
      Stock.exposeRemotely(A.Target);
      if (Exact)
        A = {A.Target, A.Begin + Address.Low, A.Begin + Address.High + *Length};
      const bool Known = Exact && Address.Low == Address.High;
      All.push_back({A, Known ? NumberForm() : Where.formOf(Whole, Leaf, Call)});
    }
  return All;
}

/// Notes the paths of the address for who writes a topology; returns the first.
std::string Translator::seeRemote(const Sum &Address, const CallBase &Call) {
  std::string First;
  for (const Value *Leaf : Address.Leaves) {
    std::string Found = In.Fields->path(Leaf);
    Stock.Seen.Regions.add(In.Entry, Found, siteOf(Call.getDebugLoc()));
    if (auto *Load = dyn_cast<LoadInst>(inHostOrder(Leaf)); Load && Stock.proposing())
      for (const Pointer &P : Where.resolve(Load->getPointerOperand()))
        Stock.Members[In.Entry].Taken[Found].insert(memberAt(P));
    if (First.empty())
      First = Found;
  }
  if (First.empty())
    Stock.Seen.Regions.addUnknown(In.Entry, siteOf(Call.getDebugLoc()));
  return First;
}

Access Translator::unknownRemote(NodeId Target, const CallBase &Call) {
  if (Stock.T.given())
    remark(Call, {words::RemoteUnknown, Stock.P.Nodes[Target].Name}, true);
  return {Stock.nameless(Target, "remote memory")};
}

/// Where on the other node a request goes.
std::vector<Translator::Remote> Translator::remotes(const WorkRequest &R, std::optional<std::int64_t> Length,
                                                    QueuePairId Pair, const CallBase &Call) {
  NodeId Target = Stock.P.QueuePairs[Pair].Target;
  std::vector<Remote> All;
  std::vector<std::pair<Sum, const Value *>> Sums;
  for (const Value *Address : R.Remote)
    for (Sum &Next : In.Fields->sums(Address))
      if (none_of(Sums, [&](const auto &Known) { return Known.first == Next; }))
        Sums.emplace_back(std::move(Next), Address);
  for (auto &[Address, Whole] : Sums) {
    std::string Path = seeRemote(Address, Call);
    auto Held = RemoteFields::Held::AsGiven;
    for (const Value *Leaf : Address.Leaves)
      if (auto *Field = dyn_cast<LoadInst>(inHostOrder(Leaf)))
        Held = std::max(Held, RemoteFields::heldIn(*Field, *In.Fields, In.OfProcess));
    if (Held == RemoteFields::Held::Unknown) {
      All.push_back({unknownRemote(Target, Call)});
      continue;
    }
    if (Held == RemoteFields::Held::Moved)
      Address.add(0, Unbounded);
    if (std::vector<Remote> Known = regions(Address, Whole, Call, Length, Target); !Known.empty()) {
      All.insert(All.end(), Known.begin(), Known.end());
      continue;
    }
    if (Stock.T.given())
      remark(Call,
             Path.empty() ? Said(words::RemoteNotGiven, Stock.P.Nodes[Target].Name)
                          : Said(words::RemotePathNotGiven, Path, Stock.P.Nodes[Target].Name),
             true);
    Access A{Path.empty() ? Stock.nameless(Target, "remote memory")
                          : Stock.anything(Target, "what " + Path + " points to")};
    if (!Path.empty() && exact(Address, Length))
      A.Begin = Address.Low, A.End = Address.High + *Length;
    All.push_back({A});
  }
  if (!All.empty())
    return All;
  if (!R.RemoteConstant) {
    Stock.Seen.Regions.addUnknown(In.Entry, siteOf(Call.getDebugLoc()));
    return {{unknownRemote(Target, Call)}};
  }
  Access A{Stock.anything(Target, "memory at fixed addresses")};
  if (auto At = static_cast<std::int64_t>(*R.RemoteConstant); Length && At >= 0)
    A.Begin = At, A.End = At + *Length;
  return {{A}};
}

} // namespace rdma::clang_ir
