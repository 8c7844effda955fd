// A node's locations in C and C++: where they live, how they are read, written and reached from elsewhere.
#pragma once

#include "Style.h"
#include "ir/Program.h"

#include <string>

namespace rdma::test {

class MemoryText {
public:
  MemoryText(const Program &P, const Style &S) : P(P), S(S) {}

  /// The location as an lvalue in a thread of its node.
  std::string place(ObjectId O) const;
  std::string read(ObjectId O) const;
  std::string write(ObjectId O, const std::string &Value) const;
  /// l := cas(Word, Expected, Desired);
  std::string swap(ObjectId Word, const std::string &Expected, const std::string &Desired,
                   ObjectId Result) const;

  /// The address over there, given the queue pair's end.
  std::string remote(const std::string &End, ObjectId O) const;
  /// The members of an end that hold addresses.
  std::string addressMembers() const;
  /// What the topology says of such a member of an end: member and node:object.
  std::vector<std::pair<std::string, std::string>> regions(NodeId Target) const;

  std::string types() const;
  std::string definitions(bool OtherFile) const; ///< OtherFile: declared only
  bool byPointer() const { return S[Aspect::Memory] == "pointer"; }
  /// The name of the pointer to the memory, as a thread sees it.
  std::string pointer() const;

private:
  bool located(ObjectId O) const { return !P.Objects[O].Fresh; }
  unsigned indexOf(ObjectId O) const;
  std::string type() const;

  const Program &P;
  const Style &S;
};

} // namespace rdma::test
