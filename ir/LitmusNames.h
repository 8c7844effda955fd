// Names of litmus locations for the accesses of any program. Private to the writer.
#pragma once

#include "ir/Program.h"

#include <map>
#include <set>
#include <string>
#include <utility>

namespace rdma::litmus {

/// A litmus location has no parts, so overlapping byte ranges of one object share a location, and a node with
/// memory that could not be named (Object::Anything) has one location for all of it.
class LocationNames {
public:
  explicit LocationNames(const Program &P);
  /// The location of an access that the program contains.
  const std::string &operator[](const Access &A) const;
  /// A further location on a node, to be declared with the others.
  std::string fresh(NodeId Home, const std::string &Wish);
  /// An identifier that is nothing else's name.
  std::string unique(const std::string &Wish);

  struct Declaration {
    std::string Name;
    std::int64_t Initial;
  };
  /// Per node, in the order of first use.
  const std::vector<std::vector<Declaration>> &declarations() const { return Declared; }

  /// Of objects that any node may access.
  const std::set<std::string> &remote() const { return Remote; }

private:
  void declare(NodeId Home, const std::string &Name, std::int64_t Initial);

  std::map<std::tuple<ObjectId, std::int64_t, std::int64_t>, std::string> Names;
  std::map<std::string, unsigned> Used;
  std::vector<std::vector<Declaration>> Declared;
  std::set<std::string> Remote;
};

} // namespace rdma::litmus
