// What makes an inserted wait unsafe in a program: completions that it could not give back, memory that it
// may not read. Private to the source library.
#pragma once

#include "ir/Program.h"

#include <clang/Basic/SourceLocation.h>

#include <optional>
#include <string>

namespace rdma {

namespace source {
class Bodies;
class Syntax;
} // namespace source

/// What the program posts on a queue pair: the other end allows that for certain.
struct Posted {
  bool Writes = false, Reads = false;
  bool Others = false; ///< messages, for which it needs no right, and atomic operations
};

/// The first place of each kind, in the sources or in headers that are not the system's.
struct Hazards {
  std::optional<Place> StartPoll;    ///< takes completions without ibv_poll_cq
  std::optional<Place> EventChannel; ///< sleeps until a completion comes, once
  std::optional<Place> Handler;      ///< names a handler of a signal that may poll
  std::optional<Place> TwoSided;     ///< sends or receives: some completions come when another node is ready
  std::optional<Place> NoRead;       ///< registers memory that others may write, but not read
  std::optional<Place> ReadNotKnown; ///< or may, as far as the sources show
  std::optional<Place> NoReadOnPair; ///< a queue pair that lets others write, but not read
  std::optional<Place> ReadOnPairNotKnown;
  std::optional<Place> NoWriteOnPair; ///< a queue pair that may not let others write
  std::optional<Place> Immediate;     ///< WRITEs that need a receive
  std::optional<Place> Datagrams;     ///< names a kind of queue pair that can post nothing but messages
  std::optional<Place> NoReadsOut;    ///< a queue pair that may have no READ under way
  std::optional<Place> PastHeader;    ///< posts through the context, of which rdma/order.h sees nothing
  std::optional<Place> NoHeader; ///< names what rdma/order.h has to replace, where that cannot be included
  std::optional<Place> OwnMacro; ///< defines a macro of such a name

  /// A queue pair may end, or begin anew, where rdma/order.h does not see it, or is posted to where it cannot
  /// make room for what it has out itself.
  std::optional<Place> Unseen;

  std::optional<Place> Builds; ///< where requests begin to be built by calls

  /// Why neither a wait nor, when it flushes, a READ can be inserted behind what is posted at a place, nor
  /// one that leaves some requests out; empty when it can.
  std::string against(bool Flushes, bool LeavesOut, const Posted &On, const Place &At) const;

private:
  std::string againstRead() const;
};

/// Notes the place, unless there is one already.
void noteHazard(const source::Syntax &S, const std::string &Source, clang::SourceLocation At,
                std::optional<Place> &Found);

/// Source: what the user calls the main file.
void findHazards(const source::Syntax &S, const std::string &Source, source::Bodies &Given, Hazards &Found);

} // namespace rdma
