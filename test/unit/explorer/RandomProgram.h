// Small random RDMA programs, the same for the same seed, and smaller ones that still show something.
#pragma once

#include "ir/Litmus.h"

#include <functional>
#include <string>
#include <vector>

namespace rdma::test {

/// A statement as text, or a choice or loop over blocks.
struct RandomStatement {
  std::string Text;
  std::vector<std::vector<RandomStatement>> Blocks;
};

struct RandomProgram {
  struct Location {
    unsigned Node;
    std::string Name;
  };
  struct Thread {
    unsigned Node;
    std::string Pairs; ///< declarations
    std::vector<RandomStatement> Body;
  };
  unsigned Nodes = 2;
  std::string Queues; ///< declarations of completion queues
  std::vector<Location> Locations;
  std::vector<Thread> Threads;

  /// Each loop written out: no more than Times rounds, any number of them.
  RandomProgram unrolled(unsigned Times) const;
  std::string text(const std::string &Name) const;
  Program parse() const;
};

struct Shape {
  unsigned MinThreads = 2, MaxThreads = 3, MaxStatements = 4;
  bool Atomics = true, Cpu = true;
  unsigned FlagPercent = 5; ///< how often an operation is unsignaled, inline or fenced, each
  bool Choices = false, Loops = false;
  bool Locks = false;      ///< many threads take and give back a lock word, some of them wrongly
  bool Mixed = false;      ///< threads that wait poll too, also the same queue pair
  bool Pairs = false;      ///< threads have several queue pairs to a node; some share a completion queue
  bool Handshakes = false; ///< two threads of a node wait for each other's flag, some of them wrongly
  bool Mailboxes = false;  ///< threads write to a word and wait for what others write there
  bool Turns = false;      ///< two threads tell each other in rounds, some of them wrongly
  bool Sections = false;   ///< threads of a node take and give back a lock, some of them wrongly
};

RandomProgram randomProgram(std::uint64_t Seed, const Shape &S);

/// Takes away statements, threads and branches as long as the program still fails.
RandomProgram shrink(RandomProgram P, const std::function<bool(const RandomProgram &)> &StillFails);

} // namespace rdma::test
