#include "analyzer/clang/frontend/Spelling.h"

#include <llvm/ADT/StringMap.h>
#include <llvm/Demangle/Demangle.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/Path.h>

#include <map>
#include <mutex>

namespace rdma::clang_ir {
namespace {

using namespace llvm;

std::string normal(StringRef Name) { return realFile(Name); }

class Speller {
public:
  explicit Speller(const std::vector<std::string> &Files) {
    for (const std::string &File : Files)
      Known[normal(File)] = File;
    SmallString<256> Here;
    if (!sys::fs::current_path(Here))
      Below = std::string(Here) + "/";
  }

  const std::string &spell(const std::string &File) {
    auto [Found, New] = Spelled.try_emplace(File);
    if (New && !File.empty()) {
      std::string Path = normal(File);
      if (auto Given = Known.find(Path); Given != Known.end())
        Found->second = Given->second;
      else
        Found->second = !Below.empty() && Path.rfind(Below, 0) == 0 ? Path.substr(Below.size()) : Path;
    }
    return Found->second;
  }

private:
  std::map<std::string, std::string> Known, Spelled;
  std::string Below;
};

} // namespace

/// Two dots behind a link to a folder lead elsewhere than the text says: then the file itself is asked.
std::string realFile(StringRef Name) {
  static StringMap<std::string> Known;
  static std::mutex Lock;
  std::lock_guard<std::mutex> Held(Lock);
  auto [Found, New] = Known.try_emplace(Name);
  if (!New)
    return Found->second;
  SmallString<256> Path(Name), Real;
  sys::fs::make_absolute(Path);
  SmallString<256> Given(Path);
  sys::path::remove_dots(Path, true);
  bool There = sys::fs::exists(Path) || sys::fs::real_path(Given, Real);
  return Found->second = std::string(There ? Path : Real);
}

std::string absoluteName(const DIFile *File) {
  if (!File)
    return "";
  SmallString<256> Name(sys::path::is_absolute(File->getFilename()) ? "" : File->getDirectory());
  sys::path::append(Name, File->getFilename());
  return std::string(Name);
}

std::string spellFile(const std::string &Name) { return Speller({}).spell(Name); }

void spellFiles(Program &P, const std::vector<std::string> &Files) {
  Speller Names(Files);
  auto inSite = [&](Site &S) {
    for (Place &At : S.Chain)
      At.File = Names.spell(At.File);
  };
  for (Thread &T : P.Threads)
    for (Statement &S : T.Statements)
      inSite(S.Where);
  for (LostFact &Fact : P.LostFacts)
    inSite(Fact.Where);
  for (Remark &R : P.Remarks)
    if (R.Where.known())
      inSite(R.Where);
}

std::string listedNames(const std::vector<std::string> &Names) {
  constexpr std::size_t Named = 3;
  std::string Text;
  for (std::size_t I = 0; I < Names.size() && I < Named; ++I)
    Text += (I == 0 ? "'" : I + 1 == Names.size() ? " and '" : ", '") + Names[I] + "'";
  return Names.size() > Named ? Text + " and " + std::to_string(Names.size() - Named) + " more" : Text;
}

std::string spellFunction(const Function &F) {
  auto [Name, Number] = F.getName().rsplit('.');
  bool Numbered = F.hasLocalLinkage() || F.isDeclaration();
  bool IsNumber = !Number.empty() && Number.find_first_not_of("0123456789") == StringRef::npos;
  return demangle((Numbered && IsNumber ? Name : F.getName()).str());
}

} // namespace rdma::clang_ir
