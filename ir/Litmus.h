// The litmus text: one small program with the outcomes its memory model allows or forbids
// (test/litmus/FORMAT.md).
#pragma once

#include "ir/Program.h"

#include <memory>
#include <stdexcept>
#include <string_view>

namespace rdma {

/// Bad input: `what()` is "FILE:LINE:COLUMN: error: MESSAGE" (without the numbers that are not known).
class InputError : public std::runtime_error {
public:
  InputError(const Place &Where, const std::string &Message);
};

/// `Location == Number`, joined by && and ||.
struct Condition {
  enum class Kind : std::uint8_t { Equal, NotEqual, And, Or } What = Kind::Equal;
  ObjectId Location = None;
  std::int64_t Number = 0;
  std::vector<Condition> Parts = {}; ///< And, Or
  /// Values: the final value of every object, by ObjectId.
  bool holds(const std::vector<std::int64_t> &Values) const;
};

struct Assertion {
  enum class Kind : std::uint8_t { Allowed, Forbidden, Robust, Ldrf, Fenced, TreeFenced } What;
  std::vector<Model> Models = {}; ///< the bracketed model, or what the kind ranges over without brackets
  Condition When = {};            ///< Allowed, Forbidden
  bool Expected = true;           ///< the verdicts: yes or no
  Place Where;
  std::string Text; ///< as written, for reports
};

struct LitmusTest {
  Program Code;
  std::vector<Assertion> Assertions;
};

/// Throws InputError for a syntax error, an unknown or doubly declared name, a location of the wrong node.
LitmusTest parseLitmus(std::string_view Text, const std::string &File);
/// Reads the file first; throws InputError when it cannot be read.
LitmusTest readLitmus(const std::string &File);

/// The program as litmus text that parseLitmus reads back to the same statements. Names that are not litmus
/// identifiers are rewritten, unknown values become numbers of their own, irregular control flow becomes
/// `choose` and `loop` with the same paths.
std::string writeLitmus(const LitmusTest &Test);
std::string writeLitmus(const Program &P);

} // namespace rdma
