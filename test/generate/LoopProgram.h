// A program of loops over posts and polls, before anybody has chosen how to write it down.
//
// One thread counts its requests: variables are integers, buffers are rings of slots, and a connection is a
// queue pair with its completion queue. LoopTrace runs it, LoopText writes it in C and C++.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace rdma::test {

struct LoopExpr {
  enum class Kind : std::uint8_t {
    Number,
    Variable,
    Element, ///< of an array; Parts: the index
    Taken,   ///< what the poll around it has returned
    Id,      ///< the wr_id of the completion at hand
    Binary   ///< Op, as C spells it
  } What = Kind::Number;
  std::int64_t Number = 0;
  unsigned Variable = 0;
  std::string Op = {};
  std::vector<LoopExpr> Parts = {};
  bool isNumber(std::int64_t N) const { return What == Kind::Number && Number == N; }
};

LoopExpr number(std::int64_t N);
LoopExpr variable(unsigned V);
LoopExpr element(unsigned V, LoopExpr Index);
LoopExpr taken();
LoopExpr id();
LoopExpr binary(LoopExpr A, const std::string &Op, LoopExpr B);
inline LoopExpr operator+(LoopExpr A, LoopExpr B) { return binary(std::move(A), "+", std::move(B)); }
inline LoopExpr operator-(LoopExpr A, LoopExpr B) { return binary(std::move(A), "-", std::move(B)); }
inline LoopExpr operator*(LoopExpr A, LoopExpr B) { return binary(std::move(A), "*", std::move(B)); }
inline LoopExpr operator%(LoopExpr A, LoopExpr B) { return binary(std::move(A), "%", std::move(B)); }

struct LoopRequest {
  bool Get = false, Inline = false;
  unsigned Buffer = 0;
  LoopExpr Slot, Id;
  LoopExpr Signaled = number(1); ///< not zero: asks for a completion
};

struct LoopStatement;
using LoopBlock = std::vector<LoopStatement>;

struct LoopStatement {
  enum class Kind : std::uint8_t {
    Set,   ///< Place = Value
    Write, ///< the CPU writes slot Value of buffer Variable
    Read,  ///< and reads it
    Post,  ///< Request on connection End
    List,  ///< Value requests in one list, for Variable = 0, 1, ...; not more than Most
    Poll,  ///< takes up to Most completions of End: Each for each of them, and Then behind
    Take,  ///< waits for one completion of End
    If,    ///< Then, where Value is not zero, else Each
    While, ///< Then, as long as Value is not zero
    For,   ///< Then, for Variable = 0, 1, ... below Value
    Break,
    Leave ///< the thread ends
  } What;
  LoopExpr Place = {}, Value = {}, End = {};
  unsigned Variable = 0, Most = 1;
  LoopRequest Request = {};
  LoopBlock Then = {}, Each = {};
};

struct LoopProgram {
  struct Variable {
    std::string Name;
    unsigned Elements = 0; ///< of an array; 0: one integer
    std::int64_t Initial = 0;
    bool Counts = false; ///< the variable of a For or a List: its own everywhere
  };
  struct Buffer {
    std::string Name;
    unsigned Slots;
  };
  std::string Shape, Mistake; ///< what it was drawn as
  std::vector<Variable> Variables;
  std::vector<Buffer> Buffers;
  unsigned Connections = 1;
  bool OneQueue = false;          ///< all connections report to the queue of the first
  unsigned Rounds = 0;            ///< the variable that somebody gives the program,
  std::vector<std::int64_t> Some; ///< some values that it may be given,
  std::int64_t Constant = 0;      ///< and the one where it is written into the program
  LoopBlock Body;
};

/// Right and wrong ones.
LoopProgram randomLoops(std::uint64_t Seed);

/// Every program with one statement less, or with a simpler one.
std::vector<LoopProgram> smaller(const LoopProgram &P);

} // namespace rdma::test
