#include "rewriter/source/Includes.h"

#include <set>

namespace rdma::source {
namespace {

using namespace clang;

/// What `#include <...>` names; empty for any other line.
StringRef included(StringRef Line) {
  Line = Line.trim();
  if (!Line.consume_front("#"))
    return "";
  Line = Line.ltrim();
  if (!Line.consume_front("include"))
    return "";
  Line = Line.ltrim();
  return Line.consume_front("<") ? Line.take_until([](char C) { return C == '>'; }) : "";
}

/// The system's own, by the offsets of the lines that include them: none of them posts or polls.
std::set<unsigned> systemIncludes(const Syntax &Tree) {
  const SourceManager &M = Tree.Context.getSourceManager();
  std::set<unsigned> Found;
  for (unsigned I = 1, Count = M.local_sloc_entry_size(); I < Count; ++I) {
    const SrcMgr::SLocEntry &Entry = M.getLocalSLocEntry(I);
    SourceLocation At = Entry.isFile() ? Entry.getFile().getIncludeLoc() : SourceLocation();
    if (At.isValid() && M.getFileID(At) == Tree.File &&
        SrcMgr::isSystem(Entry.getFile().getFileCharacteristic()))
      Found.insert(M.getFileOffset(M.translateLineCol(Tree.File, M.getSpellingLineNumber(At), 1)));
  }
  return Found;
}

/// Among the includes that stand in the order of their names, where its own name belongs. Only behind
/// <infiniband/verbs.h> itself and the system's headers: what posts or polls in a header must come later.
unsigned sortedIn(const Syntax &Tree, StringRef Contents, unsigned Verbs) {
  auto LineAt = [&](std::size_t At) { return Contents.slice(At, Contents.find('\n', At)); };
  if (included(LineAt(Verbs)) != "infiniband/verbs.h")
    return Verbs;
  std::set<unsigned> System = systemIncludes(Tree);
  std::size_t At = Verbs;
  for (StringRef Last; At < Contents.size();) {
    StringRef Name = included(LineAt(At));
    bool Passes = At == Verbs || (System.contains(At) && !Name.starts_with("rdma/"));
    if (Name.empty() || Name < Last)
      break;
    if (Name > "rdma/order.h" || !Passes)
      return At;
    Last = Name;
    At += LineAt(At).size() + 1;
  }
  // The block ends: behind its last line, if its names were in order.
  return At < Contents.size() && included(LineAt(At)).empty() ? At : Verbs;
}

} // namespace

std::optional<unsigned> placeOfHeader(const Syntax &Tree, const std::string &Contents, bool IsSource,
                                      bool Edited) {
  if ((!Edited && !(IsSource && Tree.replaced())) || Contents.find("rdma/order.h") != std::string::npos)
    return std::nullopt;
  std::optional<unsigned> At = Tree.firstVerbsInclude();
  if (At)
    At = sortedIn(Tree, Contents, *At);
  else if (!IsSource)
    At = Tree.firstInclude();
  // A mark of the encoding stays first.
  bool AtMark = At == 0u && StringRef(Contents).starts_with("\xEF\xBB\xBF");
  return AtMark ? std::optional(3u) : At;
}

bool lacksHeader(const Syntax &Tree, const std::string &Contents) {
  return Contents.find("rdma/order.h") == std::string::npos && !Tree.firstVerbsInclude();
}

} // namespace rdma::source
