// Names of litmus locations for the accesses of any program. Private to the writer.
#pragma once

#include "ir/Program.h"

#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>

namespace rdma::litmus {

/// Byte ranges of an object that do not overlap are locations of their own; where they do, or which bytes are
/// meant is not known, the object is declared and they as parts of it. What is not known of an object is said
/// behind its name.
class LocationNames {
public:
  explicit LocationNames(const Program &P);
  /// The location of an access that the program contains.
  const std::string &operator[](const Access &A) const;
  /// A further location on a node, to be declared with the others.
  std::string fresh(NodeId Home, const std::string &Wish);
  /// An identifier that is nothing else's name.
  std::string unique(const std::string &Wish);

  /// Per node, what declares its locations, in the order of first use.
  const std::vector<std::vector<std::string>> &declarations() const { return Declared; }

  /// Of objects that any node may access.
  const std::set<std::string> &remote() const { return Remote; }

private:
  using Range = std::tuple<std::int64_t, std::int64_t, bool>; ///< of Access: Begin, End, Somewhere
  void nameParts(const Program &P, ObjectId O, const std::set<Range> &Used, bool Awaited);
  std::string declare(const Object &O, const std::string &Wish, bool Bytes = false,
                      bool AwaitedInParts = false);

  std::map<std::pair<ObjectId, Range>, std::string> Names;
  std::map<std::string, unsigned> Used;
  std::vector<std::vector<std::string>> Declared;
  std::vector<bool> AnyMemory; ///< per node: some of its memory may be any other
  std::set<std::string> Remote;
};

} // namespace rdma::litmus
