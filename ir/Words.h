// What users are told, in registries: files NAME.def of entries TEXT(Id, "words with %0 and %1"), where names
// go in the place of %0 to %9.
#pragma once

#include <algorithm>
#include <concepts>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rdma {

/// The words with %0, %1, … replaced.
std::string fillIn(std::string_view Words, std::span<const std::string> Names);

/// How many names the words ask for.
constexpr unsigned namesIn(std::string_view Words) {
  unsigned Most = 0;
  for (std::size_t I = 0; I + 1 < Words.size(); ++I)
    if (Words[I] == '%' && Words[I + 1] >= '0' && Words[I + 1] <= '9')
      Most = std::max<unsigned>(Most, Words[I + 1] - '0' + 1);
  return Most;
}

/// An entry of a registry, which takes so many names.
template <unsigned Names> struct Words {
  std::string_view Text;
};

/// What is said: an entry of a registry and its names, and nothing else. A name may be said itself.
class Said {
public:
  Said() = default;
  template <class... Names>
  Said(const Words<sizeof...(Names)> &Entry, const Names &...All)
      : Text(fillIn(Entry.Text, std::vector<std::string>{named(All)...})) {}

  /// What somebody else has said, in a file that is read.
  static Said asRead(std::string Text) {
    Said Result;
    Result.Text = std::move(Text);
    return Result;
  }

  const std::string &text() const { return Text; }
  bool empty() const { return Text.empty(); }
  bool operator==(const Said &) const = default;

private:
  static std::string named(std::string_view Name) { return std::string(Name); }
  static std::string named(std::integral auto Number) { return std::to_string(Number); }
  static std::string named(const Said &Other) { return Other.Text; }

  std::string Text;
};

} // namespace rdma
