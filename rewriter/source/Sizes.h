// Of a loop over buffers: how many of them there may be.
#pragma once

#include "rewriter/source/Syntax.h"

#include <set>
#include <string>
#include <vector>

namespace rdma::source {

class Sizes {
public:
  /// What the function at the place takes an index modulo of, or begins again at, and how many elements the
  /// arrays have of which it takes one by an index that is not constant.
  void addFrom(const Syntax &S, const Place &Where);
  /// At most so many, of two or more buffers, the larger first: the moduli; of the arrays those that may be
  /// the buffers, which are called so where that is known, not the words that one of them consists of; what
  /// an index begins again at, where there is nothing else.
  std::vector<unsigned> likeliest(const std::string &Buffers, std::size_t Most) const;

  struct Array {
    unsigned Count;
    std::string Variable;         ///< what a variable is called that is the array
    std::string In;               ///< the class that has it for a member
    std::set<std::string> Inside; ///< the classes that are part of its elements
    bool IsPart;                  ///< of an element of another array
    bool IsOfNumbers;
  };

private:
  std::set<const clang::FunctionDecl *> Seen;
  std::set<unsigned> Moduli, Ends;
  std::vector<Array> Arrays;
};

} // namespace rdma::source
