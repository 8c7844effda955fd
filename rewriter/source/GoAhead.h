// What a program may tell another node while it has not polled yet for what it posted.
#pragma once

#include "rewriter/source/Bodies.h"

#include "ir/Program.h"

#include <string>
#include <vector>

namespace rdma::source {

/// A message arrives when the other node has a receive for it. Where the program tells that node to go on
/// before it polls for the message, a wait that stands before that might never end: the other node may have
/// no receive until then.
class GoAheads {
public:
  GoAheads(SourceFiles &Files, Bodies &Given) : Files(Files), Given(Given) {}

  /// What the program does with queue pairs.
  struct Posting {
    bool ToSeveral = true; ///< posts to more than one, so that what it posts may be what tells
    bool OneQueue = false; ///< polls one completion queue only
  };

  /// Where the program may tell another node something, on some way from a slot, or from behind it, to its
  /// next poll: FILE:LINE, or empty. The slot is in one of the functions of the chain.
  std::string behind(const EditedFile &In, const Slot &At, bool Behind, const std::vector<Place> &Chain,
                     Posting How);

private:
  SourceFiles &Files;
  Bodies &Given;
};

} // namespace rdma::source
