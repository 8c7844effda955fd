#include "rewriter/Files.h"

#include "ir/Litmus.h"

#include <dtl/dtl.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <vector>

namespace rdma {

namespace fs = std::filesystem;

std::string readFile(const std::string &Name) {
  std::ifstream In(Name, std::ios::binary);
  std::ostringstream Text;
  if (!In || !(Text << In.rdbuf()))
    throw InputError({Name, 0, 0, {}}, "cannot read the file");
  return Text.str();
}

static std::vector<std::string> lines(const std::string &Text) {
  std::vector<std::string> Lines;
  std::istringstream In(Text);
  for (std::string Line; std::getline(In, Line);)
    Lines.push_back(Line);
  return Lines;
}

std::string unifiedDiff(const FileContents &Before, const FileContents &After) {
  std::ostringstream Text;
  for (const auto &[Name, New] : After) {
    dtl::Diff<std::string> Diff(lines(Before.at(Name)), lines(New));
    Diff.onHuge();
    Diff.compose();
    Diff.composeUnifiedHunks();
    std::string Relative = Name.starts_with("/") ? Name.substr(1) : Name;
    // A tab ends a name that has spaces in it.
    std::string End = Relative.find(' ') == std::string::npos ? "\n" : "\t\n";
    Text << "--- a/" << Relative << End << "+++ b/" << Relative << End;
    Diff.printUnifiedFormat(Text);
  }
  return Text.str();
}

/// Without what both begin with and what both end with. A character of several bytes is not cut in two.
static void shorten(Change &C, const std::string &Old) {
  if (std::any_of(C.Text.begin(), C.Text.end(), [](char X) { return X & 0x80; }))
    return;
  auto Removed = [&] { return std::string_view(Old).substr(C.Offset, C.Length); };
  std::string_view Begin = Removed();
  auto Is = std::mismatch(Begin.begin(), Begin.end(), C.Text.begin(), C.Text.end()).second;
  std::size_t Same = Is - C.Text.begin();
  C.Offset += Same;
  C.Length -= Same;
  C.Text.erase(0, Same);
  std::string_view End = Removed();
  auto Ends = std::mismatch(End.rbegin(), End.rend(), C.Text.rbegin(), C.Text.rend());
  Same = Ends.second - C.Text.rbegin();
  C.Length -= Same;
  C.Text.erase(C.Text.size() - Same);
}

/// With what ends each.
static std::vector<std::string> wholeLines(const std::string &Text) {
  std::vector<std::string> Lines;
  for (std::size_t Begin = 0, End; Begin < Text.size(); Begin = End) {
    End = std::min(Text.find('\n', Begin), Text.size() - 1) + 1;
    Lines.push_back(Text.substr(Begin, End - Begin));
  }
  return Lines;
}

std::vector<Change> changes(const std::string &Old, const std::string &New) {
  dtl::Diff<std::string> Diff(wholeLines(Old), wholeLines(New));
  Diff.onHuge();
  Diff.compose();
  std::vector<Change> Found;
  std::size_t At = 0;
  bool Open = false;
  for (const auto &[Line, Info] : Diff.getSes().getSequence()) {
    if (Info.type == dtl::SES_COMMON) {
      At += Line.size();
      Open = false;
      continue;
    }
    if (!Open)
      Found.push_back({At, 0, ""});
    Open = true;
    if (Info.type == dtl::SES_ADD) {
      Found.back().Text += Line;
    } else {
      Found.back().Length += Line.size();
      At += Line.size();
    }
  }
  for (Change &C : Found)
    shorten(C, Old);
  return Found;
}

/// Is Line what Old became? An edit adds to a line, and indents it.
static bool holds(const std::string &Line, const std::string &Old) {
  std::size_t At = 0;
  for (unsigned char C : Old) {
    if (std::isspace(C))
      continue;
    At = Line.find(C, At);
    if (At == Line.npos)
      return false;
    ++At;
  }
  return true;
}

std::vector<unsigned> linesBefore(const std::string &Old, const std::string &New) {
  const std::vector<std::string> Lines = wholeLines(Old);
  dtl::Diff<std::string> Diff(Lines, wholeLines(New));
  Diff.onHuge();
  Diff.compose();
  std::vector<unsigned> Before;
  std::vector<std::string> Added;
  unsigned At = 0, Removed = 0; // old lines passed, and what is taken away behind them
  auto Place = [&] {
    unsigned Next = At, End = At + Removed;
    for (const std::string &Line : Added) {
      auto Is = std::find_if(Lines.begin() + Next, Lines.begin() + End,
                             [&](const std::string &Was) { return holds(Line, Was); });
      if (Is != Lines.begin() + End)
        Next = Is - Lines.begin();
      Before.push_back(std::min<std::size_t>(Next, Lines.size() - 1) + 1);
    }
    At = End;
    Added.clear();
    Removed = 0;
  };
  for (const auto &[Line, Info] : Diff.getSes().getSequence()) {
    if (Info.type == dtl::SES_ADD) {
      Added.push_back(Line);
    } else if (Info.type == dtl::SES_DELETE) {
      ++Removed;
    } else {
      Place();
      Before.push_back(++At);
    }
  }
  Place();
  return Before;
}

/// Root may write anything; a file that its owner made read-only stays as it is all the same.
static void checkWritable(const std::string &Name) {
  std::error_code Error;
  fs::perms Mode = fs::status(Name, Error).permissions();
  constexpr fs::perms AnyWrite = fs::perms::owner_write | fs::perms::group_write | fs::perms::others_write;
  if (Error || (Mode & AnyWrite) == fs::perms::none || !std::ofstream(Name, std::ios::app))
    throw InputError({Name, 0, 0, {}}, "the file is read-only; nothing was changed");
}

namespace {

/// One file on its way: the new text beside it, and the old one until all are in place.
struct Replacement {
  std::string File, New, Old;
  bool Renamed = false;
};

/// Either all new texts are in place or, after an error, all old ones.
class Transaction {
public:
  void stage(const std::string &Name, const std::string &Text) {
    std::string File = fs::canonical(Name).string();
    All.push_back({File, File + ".rdma-fix", File + ".rdma-fix-old"});
    std::ofstream Out(All.back().New, std::ios::binary);
    if (!(Out << Text) || !Out.flush())
      throw InputError({Name, 0, 0, {}}, "cannot write beside the file; nothing was changed");
    fs::permissions(All.back().New, fs::status(File).permissions());
  }

  void commit() {
    for (Replacement &R : All) {
      std::error_code Error;
      fs::remove(R.Old, Error);
      fs::create_hard_link(R.File, R.Old, Error);
      if (Error)
        fs::copy_file(R.File, R.Old, Error);
      if (!Error)
        fs::rename(R.New, R.File, Error);
      if (Error)
        throw InputError({R.File, 0, 0, {}}, "cannot be replaced; nothing was changed");
      R.Renamed = true;
    }
    Done = true;
  }

  ~Transaction() {
    for (Replacement &R : All) {
      std::error_code Ignored;
      if (R.Renamed && !Done)
        fs::rename(R.Old, R.File, Ignored);
      fs::remove(R.Old, Ignored);
      fs::remove(R.New, Ignored);
    }
  }

private:
  std::vector<Replacement> All;
  bool Done = false;
};

} // namespace

void writeAll(const FileContents &Files) {
  for (const auto &[Name, Text] : Files)
    checkWritable(Name);
  Transaction T;
  for (const auto &[Name, Text] : Files)
    T.stage(Name, Text);
  T.commit();
}

} // namespace rdma
