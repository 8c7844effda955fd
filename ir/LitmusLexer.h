// Tokens of the litmus text. Private to the reader.
#pragma once

#include "ir/Litmus.h"

namespace rdma::litmus {

struct Token {
  enum class Kind : std::uint8_t { Name, Number, String, Symbol, End } What = Kind::End;
  std::string Text;
  std::int64_t Value = 0; ///< Number
  unsigned Line = 1, Column = 1;
};

/// The whole text as tokens, the last one End. Throws InputError for a character or string that fits nowhere.
std::vector<Token> tokenize(std::string_view Text, const std::string &File);

} // namespace rdma::litmus
