// Work requests in C and C++: how they are filled, and the functions that fill and post them.
#pragma once

#include "Style.h"

#include <string>

namespace rdma::test {

/// The parts of a request, as expressions.
struct Request {
  std::string End;    ///< with '.' or '->' behind it
  std::string Object; ///< the end itself, as an lvalue
  std::string Opcode, Local, Remote, Flags;
  std::string Compare = "0", Swap = "0";
  bool Atomic = false;
  std::string Id = {}; ///< the wr_id; empty: none
};

class PostText {
public:
  /// Named: requests have a wr_id.
  explicit PostText(const Style &S, bool Named = false) : S(S), Named(Named) {}

  /// Functions that threads call; Shared: from another file, and so without `static`.
  std::string helpers(bool Shared) const;
  std::string declarations() const; ///< of the shared ones
  bool inHeader() const;            ///< helpers that each file needs as a whole
  std::string endMembers() const;   ///< methods of an end
  std::string locals() const;       ///< at the start of a thread's function

  /// A statement that posts; Leave: what ends the thread.
  std::string post(const Request &R, const std::string &Leave) const;
  /// One list with all of them.
  std::string list(const std::vector<Request> &All, const std::string &Leave) const;
  /// One list of Length requests, R for each value of Index.
  std::string listInLoop(const Request &R, const std::string &Index, const std::string &Length,
                         const std::string &Most, const std::string &Leave) const;

private:
  bool returns() const { return S[Aspect::Control] == "return"; }
  std::string parameters() const;
  std::string operandsOf(const Request &R) const;
  std::string fail(const std::string &Leave) const;
  std::string fill(const std::string &Wr, const std::string &Sge, const Request &R) const;
  std::string build(const Request &R, const std::string &Leave) const;
  std::string submit(const std::string &Wr, const Request &R, const std::string &Leave) const;
  std::string signature(std::string_view Helper) const;
  std::string body(std::string_view Access) const;
  std::string structure(const std::string &Name) const { return S.cpp() ? Name : "struct " + Name; }

  const Style &S;
  bool Named;
};

} // namespace rdma::test
