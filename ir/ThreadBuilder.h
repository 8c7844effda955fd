// Builds a thread's statement graph from structured control flow.
#pragma once

#include "ir/Program.h"

namespace rdma {

/// Statements are appended behind every open end; a thread starts with a Nop, so that it has one entry.
class ThreadBuilder {
public:
  explicit ThreadBuilder(Thread &T) : Body(T) { add({}, {}); }

  StatementId add(Operation Op, Site Where) {
    StatementId Id = Body.Statements.size();
    Body.Statements.push_back({std::move(Op), std::move(Where), {}, Depth});
    for (StatementId End : Ends)
      Body.Statements[End].Successors.push_back(Id);
    Ends = {Id};
    return Id;
  }

  /// The alternatives of a choice: begin, one `otherwise` between two branches, end.
  void beginChoice() { Choices.push_back({Ends, {}}); }
  void otherwise() {
    Choice &C = Choices.back();
    C.Joined.insert(C.Joined.end(), Ends.begin(), Ends.end());
    Ends = C.Start;
  }
  void endChoice() {
    otherwise();
    Ends = Choices.back().Joined;
    Choices.pop_back();
    add({}, {}); // the join
  }

  void beginLoop() {
    ++Depth;
    Heads.push_back(add({}, {}));
  }
  void endLoop() {
    StatementId Head = Heads.back();
    Heads.pop_back();
    for (StatementId End : Ends)
      Body.Statements[End].Successors.push_back(Head);
    --Depth;
    Ends = {Head};
    add({}, {}); // the exit
  }

private:
  struct Choice {
    std::vector<StatementId> Start, Joined;
  };
  Thread &Body;
  std::vector<StatementId> Ends, Heads;
  std::vector<Choice> Choices;
  unsigned Depth = 0;
};

} // namespace rdma
