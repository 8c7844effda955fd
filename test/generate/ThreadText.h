// The functions of threads, and what starts them.
#pragma once

#include "MemoryText.h"
#include "PostText.h"
#include "ir/Structure.h"

#include <random>

namespace rdma::test {

class ThreadText {
public:
  ThreadText(const Program &P, const Style &S, const MemoryText &Memory, const PostText &Post,
             std::uint64_t Seed)
      : P(P), S(S), Memory(Memory), Post(Post), Random(Seed) {}

  /// The function of a thread, with what only it needs before it.
  std::string function(ThreadIndex T);
  /// The function that starts the threads of a node; empty when each is an entry of its own.
  std::string starter(NodeId N) const;
  std::string declaration(ThreadIndex T) const { return "void " + nameOf(T) + "(" + parameters(T) + ");\n"; }

  std::vector<std::string> entries(NodeId N) const;
  std::vector<QueuePairId> pairsGiven(ThreadIndex T) const;
  /// The end of a queue pair, as a thread names it, with what comes before a member.
  std::string end(QueuePairId Q) const;
  std::string queue(CompletionQueueId Queue) const;

private:
  std::string nameOf(ThreadIndex T) const { return "thread_" + P.Threads[T].Name; }
  std::string parameters(ThreadIndex T) const;
  std::string shared() const; ///< the one pointer that a node's threads are given: type and name
  std::string object(QueuePairId Q) const;
  std::string block(const Structured &Of);
  std::vector<std::string> statements(const Structured &Of);
  std::string choice(const Structured &Of);
  std::string statement(const Operation &Op);
  std::string assignment(const Operation &Op);
  std::string assume(const Operation &Op) const;
  std::string literal(const Operation &Op);
  Request request(const Operation &Op);
  bool steps() const { return S[Aspect::Control] == "switch" || S[Aspect::Control] == "loop"; }
  std::string leave() const { return steps() ? "return 1;" : "return;"; }

  const Program &P;
  const Style &S;
  const MemoryText &Memory;
  const PostText &Post;
  std::mt19937_64 Random;
  const Thread *Current = nullptr;
  std::string Statics, Locals; ///< sources of constants
};

} // namespace rdma::test
