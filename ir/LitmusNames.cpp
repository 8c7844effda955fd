#include "ir/LitmusNames.h"

#include "ir/SubEvents.h"

#include <algorithm>
#include <set>

namespace rdma::litmus {
namespace {

using Range = std::pair<std::int64_t, std::int64_t>;

std::set<Range> joined(const std::set<Range> &Ranges) {
  std::set<Range> Result;
  for (Range R : Ranges) { // in order of their beginning
    if (!Result.empty() && R.first < Result.rbegin()->second) {
      R = {Result.rbegin()->first, std::max(R.second, Result.rbegin()->second)};
      Result.erase(std::prev(Result.end()));
    }
    Result.insert(R);
  }
  return Result;
}

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
    "litmus", "node",       "thread", "mfence",  "assume",  "put",       "get",    "rcas",
    "rfaa",   "rfence",     "poll",   "wait",    "gfence",  "choose",    "loop",   "or",
    "cas",    "unsignaled", "inline", "fenced",  "allowed", "forbidden", "robust", "queue",
    "pair",   "via",        "many",   "unknown", "counted", "clear",     "open",   "remark"};

std::vector<std::set<Range>> usedRanges(const Program &P) {
  std::vector<std::set<Range>> Used(P.Objects.size());
  for (const Thread &T : P.Threads)
    for (const Statement &S : T.Statements)
      for (const SubEvents &Way : expand(S.Op))
        for (const SubEvent &E : Way)
          // What only a put reads, from a fresh location, is written as a number.
          if (E.Location.valid() &&
              !(reads(E.Kind) && !isRemote(E.Kind) && P.Objects[E.Location.Target].Fresh))
            Used[E.Location.Target].insert({E.Location.Begin, E.Location.End});
  return Used;
}

/// A part of an object: its field's name, or where it begins.
std::string nameOf(const Program &P, const Access &Part) {
  std::string Name = describe(P, Part), Whole = P.Objects[Part.Target].Name;
  return Name == Whole ? Whole + "_" + std::to_string(Part.Begin) : Name;
}

} // namespace

LocationNames::LocationNames(const Program &P) : Declared(P.Nodes.size()) {
  std::vector<std::set<Range>> Ranges = usedRanges(P);
  std::vector<std::string> Everything(P.Nodes.size());
  for (ObjectId O = 0; O < P.Objects.size(); ++O)
    if (P.Objects[O].Anything && !Ranges[O].empty() && Everything[P.Objects[O].Home].empty())
      declare(P.Objects[O].Home, Everything[P.Objects[O].Home] = unique(P.Objects[O].Name), 0);
  for (ObjectId O = 0; O < P.Objects.size(); ++O) {
    const Object &Block = P.Objects[O];
    std::set<Range> Parts = joined(Ranges[O]);
    // A litmus program's own locations are declared even when no statement names them: a condition may.
    if (Parts.empty() && !Block.Fresh)
      Parts.insert({Access{}.Begin, Access{}.End});
    for (Range Part : Parts) {
      std::string Name = Block.Fresh ? std::string() : Everything[Block.Home];
      if (Name.empty()) {
        Name = unique(Parts.size() == 1 ? Block.Name : nameOf(P, {O, Part.first, Part.second}));
        declare(Block.Home, Name, Block.Initial);
      }
      if (Block.RemoteAccess)
        Remote.insert(Name);
      for (Range R : Ranges[O])
        if (R.first >= Part.first && R.second <= Part.second)
          Names[{O, R.first, R.second}] = Name;
    }
  }
}

const std::string &LocationNames::operator[](const Access &A) const {
  return Names.at({A.Target, A.Begin, A.End});
}

std::string LocationNames::fresh(NodeId Home, const std::string &Wish) {
  std::string Name = unique(Wish);
  declare(Home, Name, 0);
  return Name;
}

void LocationNames::declare(NodeId Home, const std::string &Name, std::int64_t Initial) {
  Declared[Home].push_back({Name, Initial});
}

std::string LocationNames::unique(const std::string &Wish) {
  std::string Base = identifier(Wish), Name = Base;
  while (Keywords.contains(Name) || Used[Name]++)
    Name = Base + "_" + std::to_string(Used[Base]++ + 1);
  return Name;
}

} // namespace rdma::litmus
