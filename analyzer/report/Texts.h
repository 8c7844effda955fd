// Every text a user may be shown, in one registry. Words of verbs, lower case, no full stop; `%0` to `%3` are
// names.
#pragma once

#include "ir/Orders.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rdma {

enum class TextId : std::uint8_t {
#define TEXT(Id, Words) Id,
#include "analyzer/report/Texts.def"
#undef TEXT
};

/// Id as spelled in the registry, and its words.
struct TextEntry {
  std::string_view Name, Words;
};
std::span<const TextEntry> allTexts();

/// The words with %0, %1, … replaced.
std::string text(TextId Id, const std::vector<std::string> &Names = {});

/// What happens too early, said of the later event of a pair; what should have happened first, of the
/// earlier.
TextId tooEarly(EventKind Later);
TextId notYet(EventKind Earlier);
/// What the earlier event's operation does, as a note at its place.
TextId doneHere(EventKind Earlier);

} // namespace rdma
