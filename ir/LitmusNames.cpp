#include "ir/LitmusNames.h"

#include "ir/SubEvents.h"

#include <limits>

namespace rdma::litmus {
namespace {

using Range = std::tuple<std::int64_t, std::int64_t, bool>;

Range rangeOf(const Access &A) { return {A.Begin, A.End, A.Somewhere}; }

std::string identifier(const std::string &Text) {
  std::string Result;
  for (char C : Text)
    if (std::isalnum(static_cast<unsigned char>(C)))
      Result += C;
    else if (!Result.empty() && Result.back() != '_')
      Result += '_';
  while (!Result.empty() && Result.back() == '_')
    Result.pop_back();
  bool Bad = Result.empty() || std::isdigit(static_cast<unsigned char>(Result.front()));
  return Bad ? "m" + Result : Result;
}

const std::set<std::string> Keywords = {
    "litmus",     "node",    "thread",  "mfence",  "assume",    "await",  "put",    "get",  "rcas",
    "rfaa",       "rfence",  "poll",    "wait",    "gfence",    "choose", "loop",   "or",   "cas",
    "unsignaled", "inline",  "fenced",  "allowed", "forbidden", "robust", "queue",  "pair", "via",
    "many",       "unknown", "counted", "clear",   "open",      "remark", "unshown"};

std::string endOf(std::int64_t End) { return End == Access{}.End ? "end" : std::to_string(End); }

std::vector<std::set<Range>> usedRanges(const Program &P) {
  std::vector<std::set<Range>> Used(P.Objects.size());
  for (const Thread &T : P.Threads)
    for (const Statement &S : T.Statements)
      for (const SubEvents &Way : expand(S.Op))
        for (const SubEvent &E : Way)
          // What only a put reads, from a fresh location, is written as a number.
          if (E.Location.valid() &&
              !(reads(E.Kind) && !isRemote(E.Kind) && P.Objects[E.Location.Target].Fresh))
            Used[E.Location.Target].insert(rangeOf(E.Location));
  return Used;
}

/// A part of an object: its field's name, or where it begins.
std::string nameOf(const Program &P, const Access &Part) {
  std::string Name = describe(P, Part), Whole = P.Objects[Part.Target].Name;
  return Name == Whole ? Whole + "_" + std::to_string(Part.Begin) : Name;
}

/// Do the ranges have to be told apart by their bytes? An assume on a part says nothing of the whole.
bool needBytes(const Object &O, const std::set<Range> &Used, bool PartAwaited) {
  std::int64_t Last = std::numeric_limits<std::int64_t>::min();
  for (auto [Begin, End, Somewhere] : Used) {
    if (Somewhere || Begin < Last)
      return true;
    Last = End;
  }
  return PartAwaited || ((O.Anything || !O.Kins.empty()) && Used.size() > 1);
}

/// Objects of which some thread awaits a part.
std::vector<bool> partsAwaited(const Program &P) {
  std::vector<bool> Awaited(P.Objects.size());
  for (const Thread &T : P.Threads)
    for (const Statement &S : T.Statements)
      if (S.Op.Kind == OperationKind::Assume && !S.Op.Local.whole())
        Awaited[S.Op.Local.Target] = true;
  return Awaited;
}

} // namespace

LocationNames::LocationNames(const Program &P) : Declared(P.Nodes.size()), AnyMemory(P.Nodes.size()) {
  std::vector<std::set<Range>> Ranges = usedRanges(P);
  std::vector<bool> Awaited = partsAwaited(P);
  for (ObjectId O = 0; O < P.Objects.size(); ++O)
    if (P.Objects[O].Anything && !Ranges[O].empty())
      AnyMemory[P.Objects[O].Home] = true;
  for (ObjectId O = 0; O < P.Objects.size(); ++O) {
    const Object &Block = P.Objects[O];
    std::set<Range> Parts = Ranges[O];
    // A litmus program's own locations are declared even when no statement names them: a condition may.
    if (Parts.empty() && !Block.Fresh)
      Parts.insert(rangeOf({O}));
    if (needBytes(Block, Parts, Awaited[O])) {
      nameParts(P, O, Parts, Awaited[O]);
      continue;
    }
    for (Range Part : Parts) {
      Access Where{O, std::get<0>(Part), std::get<1>(Part)};
      Names[{O, Part}] = declare(Block, Parts.size() == 1 ? Block.Name : nameOf(P, Where),
                                 !Block.Word && Where.whole() && !Ranges[O].empty());
    }
  }
}

void LocationNames::nameParts(const Program &P, ObjectId O, const std::set<Range> &Used, bool Awaited) {
  const Object &Block = P.Objects[O];
  std::string Whole = declare(Block, Block.Name, !Block.Word && Used.contains(rangeOf({O})), Awaited);
  for (Range Part : Used) {
    auto [Begin, End, Somewhere] = Part;
    Access Where{O, Begin, End, Somewhere};
    std::string &Name = Names[{O, Part}];
    if (Where.whole() && !Somewhere) {
      Name = Whole;
      continue;
    }
    Name = unique(nameOf(P, Where));
    Declared[Block.Home].push_back(Name + " = " + Whole + "[" + std::to_string(Begin) + ", " + endOf(End) +
                                   "]" + (Somewhere ? " somewhere" : ""));
  }
}

const std::string &LocationNames::operator[](const Access &A) const {
  return Names.at({A.Target, rangeOf(A)});
}

std::string LocationNames::fresh(NodeId Home, const std::string &Wish) {
  return declare({.Name = Wish, .Home = Home, .Fresh = true}, Wish);
}

std::string LocationNames::declare(const Object &O, const std::string &Wish, bool Bytes,
                                   bool AwaitedInParts) {
  std::string Name = unique(Wish), Text = Name;
  if (O.Initial)
    Text += " = " + std::to_string(O.Initial);
  Text += O.Anything ? " unknown" : "";
  Text += O.Several ? " several" : "";
  Text += Bytes && !O.Anything && !O.Several && !O.Fresh ? " bytes" : "";
  Text += AwaitedInParts && !O.Zeros && !O.Initial ? " unset" : "";
  for (const KinRange &Kin : O.Kins) {
    Text += (Kin.Part ? " holds kin " : " kin ") + std::to_string(Kin.Number);
    if (Kin.Part)
      Text += "[" + std::to_string(Kin.Begin) + ", " + endOf(Kin.End) + "]";
    if (Kin.Step > 1)
      Text += " every " + std::to_string(Kin.Step);
  }
  if (AnyMemory[O.Home] && (O.Fresh || O.Unaliased))
    Text += " apart";
  Declared[O.Home].push_back(Text);
  if (O.RemoteAccess)
    Remote.insert(Name);
  return Name;
}

std::string LocationNames::unique(const std::string &Wish) {
  std::string Base = identifier(Wish), Name = Base;
  while (Keywords.contains(Name) || Used[Name]++)
    Name = Base + "_" + std::to_string(Used[Base]++ + 1);
  return Name;
}

} // namespace rdma::litmus
