// How inserted statements are laid out among the user's lines. Private to the source library.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace rdma::source {

/// What goes around one statement.
struct Wrapping {
  unsigned End = 0;         ///< behind the statement's semicolon
  bool NeedsBraces = false; ///< it is the lone body of an if or a loop
  std::string Indent;
  std::vector<std::string> Before, After;
  std::string Head; ///< right before the statement's own text
};

/// Every text with the offset it goes to, for wrappings by where their statements begin. Each inserted
/// statement has a line of its own, unless the user's statement shares its line with others; a comment at the
/// end of a line stays there; braces open where the head of the if or the loop ends.
std::map<unsigned, std::string> laidOut(const std::string &Contents,
                                        const std::map<unsigned, Wrapping> &Around);

/// Compiled otherwise, would the statement that begins there be the body of what stands in front of it:
/// behind `else` and an `#endif`?
bool mayHaveHead(const std::string &Contents, unsigned Begin);
/// Compiled otherwise, would the statement that ends there go on behind it: before an `#if` and `else`?
bool mayGoOn(const std::string &Contents, unsigned End);

/// With `\r\n` where the contents have it.
std::string withLineEndsOf(const std::string &Contents, std::string Text);

} // namespace rdma::source
