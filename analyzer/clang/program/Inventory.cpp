#include "analyzer/clang/program/Inventory.h"
#include "analyzer/clang/api/Messages.h"
#include "analyzer/clang/frontend/Programs.h"
#include "analyzer/clang/memory/Kin.h"
#include "ir/Litmus.h"

#include <llvm/Analysis/CaptureTracking.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>

namespace rdma::clang_ir {

Inventory::Inventory(Program &P, const Topology &T, const llvm::Module &M) : P(P), T(T) {
  for (const llvm::GlobalVariable &Global : M.globals())
    if (auto Variable = variableOf(&Global))
      Globals.emplace(Variable->Path, &Global);
  for (const TopologyNode &N : T.Nodes)
    for (const std::string &Entry : N.Entries)
      for (const llvm::Function &F : M)
        if (const llvm::DISubprogram *Program = F.getSubprogram();
            Program && !F.isDeclaration() && isOf(F, N.Program) &&
            (F.getName() == Entry || Program->getName() == Entry))
          FilesOfEntries[N.Name].insert(Program->getFilename().str());
  for (const TopologyNode &N : T.Nodes) {
    // Three copies stand for more. A chain of accesses from one node through others and back asks of a node
    // on it only that it is, or is not, the one before or the one where the chain began: three colours are
    // enough.
    unsigned Number = N.standsForMore() ? 3 : N.Count;
    for (unsigned I = 1; I <= Number; ++I) {
      const std::string Name = N.Name + "#" + std::to_string(I);
      NodeId Copy = addNode(Number == 1 ? N.Name : Name, N.ToldApart ? 1 : N.Count);
      Copies[N.Name].push_back(Copy);
      if (N.ToldApart)
        Copies[Name].push_back(Copy);
    }
  }
}

NodeId Inventory::addNode(const std::string &Name, unsigned Count) {
  P.Nodes.push_back({Name, Count});
  return P.Nodes.size() - 1;
}

ObjectId Inventory::add(NodeId Home, const std::string &Name) {
  Object O;
  O.Name = Name;
  O.Home = Home;
  P.Objects.push_back(std::move(O));
  return P.Objects.size() - 1;
}

void Inventory::describe(ObjectId O, const Origin &What) {
  P.Objects[O].Name = What.Name.Path;
  P.Objects[O].Fields = fieldsOf(What.Name, What.Indirect);
  for (const KinBytes &Bytes : kinsOf(What)) {
    const std::uint64_t Number = Kin.try_emplace(Bytes.Kin, Kin.size() + 1).first->second;
    P.Objects[O].Kins.push_back({Number, Bytes.Begin, Bytes.End, Bytes.Part, Bytes.Step});
  }
  auto *Global = llvm::dyn_cast_or_null<llvm::GlobalVariable>(What.Root);
  if (Global && What.What == Origin::Kind::Global)
    Variables.try_emplace(O, Global).first->second = What.Many ? nullptr : Global;
  if (Global && Global->hasInitializer())
    if (auto *Number = llvm::dyn_cast<llvm::ConstantInt>(Global->getInitializer());
        Number && Number->getBitWidth() <= 64)
      P.Objects[O].Initial = Number->getSExtValue();
}

namespace {

/// Does an address go where another thread could find it? A volatile access is none.
struct Escape : llvm::CaptureTracker {
  bool Found = false;
  void tooManyUses() override { Found = true; }
  bool captured(const llvm::Use *U) override { return Found |= U != placeOf(*U->getUser()); }
  static const llvm::Use *placeOf(const llvm::User &I) {
    if (auto *Load = llvm::dyn_cast<llvm::LoadInst>(&I))
      return &Load->getOperandUse(Load->getPointerOperandIndex());
    if (auto *Store = llvm::dyn_cast<llvm::StoreInst>(&I))
      return &Store->getOperandUse(Store->getPointerOperandIndex());
    return nullptr;
  }
};

/// Each thread has one, and none leaves its address where another could find it.
bool staysInThread(const Origin &What) {
  auto *Global = llvm::dyn_cast_or_null<llvm::GlobalVariable>(What.Root);
  if (What.What != Origin::Kind::Global || !Global || !Global->isThreadLocal() || !Global->hasInitializer())
    return false;
  return llvm::all_of(Global->users(), [](const llvm::User *U) {
    auto *Address = llvm::dyn_cast<llvm::IntrinsicInst>(U);
    if (!Address || Address->getIntrinsicID() != llvm::Intrinsic::threadlocal_address)
      return false;
    Escape Escapes;
    llvm::PointerMayBeCaptured(Address, &Escapes);
    return !Escapes.Found;
  });
}

} // namespace

const llvm::GlobalVariable *Inventory::variable(ObjectId O) const {
  auto Found = Variables.find(O);
  return Found == Variables.end() ? nullptr : Found->second;
}

ObjectId Inventory::object(NodeId Home, const Origin &What) {
  if (!What.named())
    return nameless(Home);
  auto [Found, New] = ByKey.try_emplace({Home, What.Key}, None);
  if (!New)
    return Found->second;
  // The topology may have named it before.
  if (auto Named = Awaited.find({Home, What.Name.Path}); Named != Awaited.end()) {
    Found->second = Named->second;
    Awaited.erase(Named);
  } else {
    Found->second = add(Home, What.Name.Path);
  }
  describe(Found->second, What);
  P.Objects[Found->second].Several |= What.Many;
  if (staysInThread(What))
    OfEachThread.insert(Found->second);
  return Found->second;
}

ObjectId Inventory::anything(NodeId Home, const std::string &Name) {
  auto [Found, New] = ByKey.try_emplace({Home, "?" + Name}, None);
  if (New) {
    Found->second = add(Home, Name);
    P.Objects[Found->second].Anything = true;
    Exposed.insert(Found->second);
  }
  return Found->second;
}

ObjectId Inventory::nameless(NodeId Home, const std::string &Called) {
  ObjectId O = anything(Home, Called);
  P.Objects[O].Several = true;
  return O;
}

ObjectId Inventory::fresh(NodeId Home) {
  ObjectId O = add(Home, "scratch");
  P.Objects[O].Fresh = true;
  Exposed.insert(O);
  return O;
}

ObjectId Inventory::flag(NodeId Home, const std::string &Place, const std::string &Name) {
  auto [Found, New] = ByKey.try_emplace({Home, "!" + Name + "/" + Place}, None);
  if (New) {
    Found->second = add(Home, Name);
    P.Objects[Found->second].Unaliased = true;
  }
  return Found->second;
}

ObjectId Inventory::news(ThreadIndex Reader, Finding What) {
  const Thread &By = P.Threads[Reader];
  const std::string Name = "completions that " + By.Name + (What.IsEvent ? " hears of" : " takes");
  const std::string Of = What.IsEvent ? "!" : What.Queue == None ? "" : "/" + keyOf(What.Queue);
  ObjectId Flag = flag(By.Home, std::to_string(Reader) + Of, Name);
  News[Flag] = What;
  return Flag;
}

NodeId Inventory::outside() {
  if (Outside == None)
    Outside = addNode("outside", 1);
  return Outside;
}

ObjectId Inventory::mailbox(NodeId Home, ThreadIndex From) {
  auto [Found, New] = ByKey.try_emplace({Home, "@" + std::to_string(From)}, None);
  if (New)
    Found->second = add(Home, MessagesOf + P.Threads[From].Name);
  expose(Found->second);
  return Found->second;
}

namespace {

const llvm::DIGlobalVariable *declarationOf(const llvm::GlobalVariable &Global) {
  llvm::SmallVector<llvm::DIGlobalVariableExpression *, 1> Expressions;
  Global.getDebugInfo(Expressions);
  return Expressions.empty() ? nullptr : Expressions.front()->getVariable();
}

} // namespace

/// `inbox`, or `other.c:inbox` where several files have one. Of several, a node means that of the file with
/// its entry.
const llvm::GlobalVariable *Inventory::global(const std::string &Node, const std::string &Name) const {
  std::size_t Colon = Name.rfind(':');
  bool HasFile = Colon != std::string::npos && Colon > 0 && Name[Colon - 1] != ':';
  std::string File = HasFile ? Name.substr(0, Colon) : "", Variable = HasFile ? Name.substr(Colon + 1) : Name;
  std::vector<const llvm::GlobalVariable *> Fitting, Near;
  std::string Listed;
  for (auto [At, End] = Globals.equal_range(Variable); At != End; ++At) {
    if (!isOf(*At->second, T.programOf(Node)))
      continue;
    const llvm::DIGlobalVariable *Declared = declarationOf(*At->second);
    std::string In = Declared ? Declared->getFilename().str() : "";
    if (HasFile && In != File && !llvm::StringRef(In).ends_with("/" + File))
      continue;
    Fitting.push_back(At->second);
    auto Entries = FilesOfEntries.find(Node);
    if (Entries != FilesOfEntries.end() && Entries->second.count(In))
      Near.push_back(At->second);
    Listed += (Listed.empty() ? "" : ", ") + In + (Declared ? ":" + std::to_string(Declared->getLine()) : "");
  }
  if (Fitting.size() > 1 && Near.size() == 1)
    return Near.front();
  if (Fitting.size() > 1)
    throw InputError({T.File, 0, 0, ""}, "'" + Name + "' of node '" + Node + "' may be any of " + Listed +
                                             "; write it as \"" + Node + ":FILE:" + Name + "\"");
  return Fitting.empty() ? nullptr : Fitting.front();
}

Access Inventory::named(NodeId Home, const std::string &Name) {
  std::string Node = P.Nodes[Home].Name.substr(0, P.Nodes[Home].Name.find('#'));
  auto ofGlobal = [&](const std::string &Variable) -> ObjectId {
    const llvm::GlobalVariable *Found = global(Node, Variable);
    if (!Found)
      return None;
    Origin O;
    O.What = Origin::Kind::Global;
    O.Root = Found;
    O.Key = "::" + Found->getName().str();
    O.Name = *variableOf(Found);
    return object(Home, O);
  };
  if (ObjectId Whole = ofGlobal(Name); Whole != None)
    return {Whole};
  for (const auto &[Key, O] : ByKey)
    if (Key.first == Home && P.Objects[O].Name == Name && !P.Objects[O].Anything)
      return {O};
  if (ObjectId Root = ofGlobal(Name.substr(0, Name.find_first_of(".-["))); Root != None)
    for (const Field &F : P.Objects[Root].Fields)
      if (F.Name == Name)
        return {Root, F.Begin, F.End};
  auto [Found, New] = Awaited.try_emplace({Home, Name}, None);
  if (New)
    Found->second = add(Home, Name);
  return {Found->second};
}

std::vector<RemoteName> Inventory::unseen() const {
  std::vector<RemoteName> Names;
  for (const auto &[Name, Nodes] : Copies)
    if (!T.runsNothing(Name)) // whose memory needs no variable
      for (const auto &[Key, O] : Awaited)
        if (Key.first == Nodes.front())
          Names.push_back({Name, Key.second});
  return Names;
}

std::vector<std::string> Inventory::namesOn(const std::string &Node) const {
  std::set<std::string> Names;
  for (const auto &[Name, Global] : Globals)
    if (!Global->isDeclaration() && isOf(*Global, T.programOf(Node)))
      Names.insert(Name);
  auto OfNode = Copies.find(Node);
  for (const auto &[Key, O] : ByKey)
    if (OfNode != Copies.end() && Key.first == OfNode->second.front() && !Key.second.empty() &&
        !llvm::StringRef("?!@").contains(Key.second.front())) // what it makes up itself
      Names.insert(P.Objects[O].Name);
  return {Names.begin(), Names.end()};
}

void Inventory::expose(ObjectId O) {
  Exposed.insert(O);
  for (const KinRange &Kin : P.Objects[O].Kins)
    (Kin.Part ? ExposedParts : ExposedKin).emplace(P.Objects[O].Home, Kin.Number);
}

bool Inventory::exposed(ObjectId O) const {
  const Object &What = P.Objects[O];
  return Exposed.count(O) || std::any_of(What.Kins.begin(), What.Kins.end(), [&](const KinRange &Kin) {
           const std::pair Key(What.Home, Kin.Number);
           return ExposedKin.count(Key) || (!Kin.Part && ExposedParts.count(Key));
         });
}

void Inventory::exposeRemotely(ObjectId O) {
  expose(O);
  P.Objects[O].RemoteAccess = true;
}

NodeId Inventory::peerOf(NodeId Home, const std::string &Key, const std::string &Name) {
  auto [Found, New] = Peers.try_emplace({Home, Key}, None);
  if (New)
    Found->second = addNode("peer of " + Name, 1);
  return Found->second;
}

std::string Inventory::nameApart(ThreadIndex Owner, const std::string &Path, const std::string &Key) {
  std::vector<std::string> &Called = Alike[{Owner, Path}];
  std::size_t Number = std::find(Called.begin(), Called.end(), Key) - Called.begin();
  if (Number == Called.size())
    Called.push_back(Key);
  return Number ? Path + "#" + std::to_string(Number + 1) : Path;
}

QueuePairId Inventory::queuePair(ThreadIndex Owner, const std::string &Name, NodeId Target) {
  for (QueuePairId Q = 0; Q < P.QueuePairs.size(); ++Q)
    if (P.QueuePairs[Q].Owner == Owner && P.QueuePairs[Q].Name == Name && P.QueuePairs[Q].Target == Target)
      return Q;
  P.QueuePairs.push_back({Owner, Target, Name, None});
  return P.QueuePairs.size() - 1;
}

void Inventory::keepsPair(QueuePairId Pair, const std::string &Place) {
  const QueuePair &Q = P.QueuePairs[Pair];
  KeptAt[{P.Threads[Q.Owner].Home, Q.Target, Place}].insert(Pair);
}

void Inventory::numberShared() {
  unsigned Number = 0;
  for (const auto &[Place, Pairs] : KeptAt) {
    std::set<ThreadIndex> Owners;
    for (QueuePairId Pair : Pairs)
      Owners.insert(P.QueuePairs[Pair].Owner);
    if (Owners.size() < 2)
      continue;
    ++Number;
    for (QueuePairId Pair : Pairs)
      P.QueuePairs[Pair].Shared = Number;
  }
}

LostFactId Inventory::lose(LostFact Fact) {
  auto Same = [&](const LostFact &Known) {
    return Known.Text == Fact.Text && Known.Where == Fact.Where && Known.Queue == Fact.Queue;
  };
  auto Found = std::find_if(P.LostFacts.begin(), P.LostFacts.end(), Same);
  if (Found == P.LostFacts.end())
    Found = P.LostFacts.insert(Found, std::move(Fact));
  return Found - P.LostFacts.begin();
}

CompletionQueueId Inventory::completionQueue(ThreadIndex Owner, const std::string &Key) {
  return Queues.try_emplace({Owner, Key}, Queues.size()).first->second;
}

const std::string &Inventory::keyOf(CompletionQueueId Queue) const {
  return std::find_if(Queues.begin(), Queues.end(), [&](const auto &Q) { return Q.second == Queue; })
      ->first.second;
}

bool Inventory::onlyPoster(CompletionQueueId Queue) const {
  auto Mine = std::find_if(Queues.begin(), Queues.end(), [&](const auto &Q) { return Q.second == Queue; });
  const auto &[Owner, Key] = Mine->first;
  return std::none_of(P.QueuePairs.begin(), P.QueuePairs.end(), [&](const QueuePair &Q) {
    if (Q.Owner == Owner || P.Threads[Q.Owner].Home != P.Threads[Owner].Home)
      return false;
    auto Theirs = Queues.find({Q.Owner, Key});
    return Q.Queue == None || (Theirs != Queues.end() && Theirs->second == Q.Queue);
  });
}

WorkId Inventory::workId(const std::string &Name) {
  auto [Found, New] = WorkIds.try_emplace(Name, P.WorkIds.size());
  if (New)
    P.WorkIds.push_back(Name);
  return Found->second;
}

} // namespace rdma::clang_ir
