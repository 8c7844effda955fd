// Histories of calls and whether they are linearisable: Wing and Gong's search, with what was tried
// remembered.
#pragma once

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace rdma::objects::test {

/// A call with what it was given and what it answered; times of one clock for all processes.
struct call {
  std::uint64_t Begin = 0, End = 0;
  int Kind = 0;
  std::uint64_t Argument = 0, Answer = 0;
  bool Found = false; ///< whether there was an answer, or the call did something

  std::string text() const;
  static bool read(const std::string &Text, call &Into);
};

/// Nanoseconds of a clock that all processes of a machine share.
std::uint64_t now();

/// Model: a value type with `bool apply(const call &)`, false when the call cannot have answered so in this
/// state, and operator<. At most 64 calls.
template <class Model> class linearisation {
public:
  static bool exists(std::vector<call> Calls, Model Start = {}) {
    std::sort(Calls.begin(), Calls.end(), [](const call &A, const call &B) { return A.Begin < B.Begin; });
    linearisation L{std::move(Calls), {}};
    return L.search(0, Start);
  }

private:
  bool search(std::uint64_t Done, const Model &State) {
    if (Done == allDone())
      return true;
    if (!Tried.insert({Done, State}).second)
      return false;
    std::uint64_t FirstEnd = ~std::uint64_t(0);
    for (std::size_t I = 0; I < Calls.size(); ++I)
      if (!(Done >> I & 1))
        FirstEnd = std::min(FirstEnd, Calls[I].End);
    for (std::size_t I = 0; I < Calls.size(); ++I) {
      if (Done >> I & 1 || Calls[I].Begin > FirstEnd) // another ended before this one began
        continue;
      Model Next = State;
      if (Next.apply(Calls[I]) && search(Done | std::uint64_t(1) << I, Next))
        return true;
    }
    return false;
  }
  std::uint64_t allDone() const {
    return Calls.size() == 64 ? ~std::uint64_t(0) : (std::uint64_t(1) << Calls.size()) - 1;
  }
  linearisation(std::vector<call> Calls, std::set<std::pair<std::uint64_t, Model>> Tried)
      : Calls(std::move(Calls)), Tried(std::move(Tried)) {}
  std::vector<call> Calls;
  std::set<std::pair<std::uint64_t, Model>> Tried;
};

/// A queue; a full one may refuse at any time.
struct queue_model {
  enum { Enqueue, Dequeue };
  static constexpr std::size_t Capacity = 8;
  std::vector<std::uint64_t> Held;
  bool apply(const call &C) {
    if (C.Kind == Enqueue) {
      bool Fits = Held.size() < Capacity;
      if (C.Found)
        Held.push_back(C.Argument);
      return C.Found == Fits;
    }
    if (!C.Found)
      return Held.empty();
    if (Held.empty() || Held.front() != C.Answer)
      return false;
    Held.erase(Held.begin());
    return true;
  }
  bool operator<(const queue_model &Other) const { return Held < Other.Held; }
};

/// One key of a map.
struct key_model {
  enum { Lookup, Insert, Update, Erase };
  bool There = false;
  std::uint64_t Value = 0;
  bool apply(const call &C) {
    switch (C.Kind) {
    case Lookup:
      return C.Found == There && (!There || Value == C.Answer);
    case Insert:
      if (C.Found == There)
        return false;
      if (C.Found)
        There = true, Value = C.Argument;
      return true;
    case Update:
      if (C.Found != There)
        return false;
      if (C.Found)
        Value = C.Argument;
      return true;
    default:
      if (C.Found != There)
        return false;
      There = false, Value = 0;
      return true;
    }
  }
  bool operator<(const key_model &Other) const {
    return std::pair(There, Value) < std::pair(Other.There, Other.Value);
  }
};

/// A few words that are written, read and compared with; an sc variable each.
struct memory_model {
  enum { Read = 0, Write = 1, Add = 2 };
  std::vector<std::uint64_t> Words = std::vector<std::uint64_t>(4, 0);
  /// The word is Kind / 8.
  bool apply(const call &C) {
    std::uint64_t &Word = Words[static_cast<std::size_t>(C.Kind / 8)];
    switch (C.Kind % 8) {
    case Read:
      return Word == C.Answer;
    case Write:
      Word = C.Argument;
      return true;
    default:
      if (Word != C.Answer)
        return false;
      Word += C.Argument;
      return true;
    }
  }
  bool operator<(const memory_model &Other) const { return Words < Other.Words; }
};

} // namespace rdma::objects::test
