#include "runtime/report/Report.h"

#include <algorithm>
#include <cinttypes>
#include <map>
#include <regex>

namespace rdma::report {

namespace {

/// Takes "(module+0x12ab) (BuildId: 12ab)" off the end; the module.
std::string takeModule(std::string &Text) {
  static const std::regex Tail(R"( \(([^()]*)\+0x[0-9a-f]+\)(?: \(BuildId: [0-9a-f]+\))?$)");
  std::smatch Found;
  if (!std::regex_search(Text, Found, Tail))
    return "";
  std::string Module = Found[1];
  Text.resize(static_cast<std::size_t>(Found.position(0)));
  return Module;
}

/// Takes ":12:3" or ":12" off the end.
void takePlace(std::string &File, Frame &F) {
  static const std::regex Place(R"(:(\d+)(?::(\d+))?$)");
  std::smatch Found;
  if (!std::regex_search(File, Found, Place))
    return;
  F.Line = static_cast<unsigned>(std::stoul(Found[1]));
  F.Column = Found[2].matched ? static_cast<unsigned>(std::stoul(Found[2])) : 0;
  File.resize(static_cast<std::size_t>(Found.position(0)));
}

/// What follows the number: the function, which may have blanks in it, the file or "<null>", the module.
Frame readFrame(std::string Text) {
  Frame F;
  F.Module = takeModule(Text);
  std::size_t Split = Text.find(" /");
  if (Split == std::string::npos)
    Split = Text.rfind(' ');
  F.Function = Text.substr(0, Split);
  if (Split != std::string::npos)
    F.File = Text.substr(Split + 1);
  takePlace(F.File, F);
  if (F.File == "<null>")
    F.File.clear();
  return F;
}

/// "Thread T1 'NIC: reads of sources' (tid=0, running) created by ...": the name of T1.
void readThread(const std::string &Line, std::map<std::string, std::string> &Names) {
  static const std::regex Thread(R"(^  Thread (T\d+) '(.*)' \(tid=)");
  std::smatch Found;
  if (std::regex_search(Line, Found, Thread))
    Names[Found[1]] = Found[2];
}

/// Without addresses, and with names of threads.
std::string titleOf(const std::string &Line, const std::map<std::string, std::string> &Names) {
  static const std::regex Address(R"( at 0x[0-9a-f]+)"), Thread(R"(by thread (T\d+))");
  std::string Title = std::regex_replace(Line, Address, "");
  Title = Title.substr(Title.find_first_not_of(' '));
  Title.erase(Title.find_last_not_of(": ") + 1);
  std::smatch Found;
  if (std::regex_search(Title, Found, Thread))
    if (auto Known = Names.find(Found[1]); Known != Names.end())
      Title.replace(static_cast<std::size_t>(Found.position(0)), static_cast<std::size_t>(Found.length(0)),
                    "by '" + Known->second + "'");
  return Title;
}

/// A report while it is read.
class Reader {
public:
  explicit Reader(std::vector<Report> &All) : All(All) {}

  void take(const std::string &Line) {
    static const std::string Sanitizer = "WARNING: ThreadSanitizer: ", Own = "rdma-run: check: ";
    static const std::regex FrameLine(R"(^    #\d+ (.*)$)");
    std::smatch Found;
    if (Line.starts_with(Sanitizer)) {
      begin(Line.substr(Sanitizer.size(), Line.find(" (pid=") - Sanitizer.size()));
      Now.Rule = Now.What == "data race" ? "race" : Now.What;
      std::replace(Now.Rule.begin(), Now.Rule.end(), ' ', '-');
    } else if (Line.starts_with(Own)) {
      begin(Line.substr(Own.size()));
      Now.Rule = "lifetime";
    } else if (!Open) {
      return;
    } else if (Line.starts_with("SUMMARY: ") || Line == "rdma-run: end of the report") {
      end();
    } else if (std::regex_match(Line, Found, FrameLine)) {
      if (!Now.Sides.empty())
        Now.Sides.back().Frames.push_back(readFrame(Found[1]));
    } else if (Line.starts_with("  ") && Line.size() > 2) {
      readThread(Line, Names);
      Now.Sides.push_back({Line, {}});
    }
  }

  void end() {
    if (!Open)
      return;
    Open = false;
    for (Side &S : Now.Sides)
      S.What = titleOf(S.What, Names);
    // Where memory and threads come from is beside the point of a race.
    auto isAside = [&](const Side &S) {
      return S.Frames.empty() || S.What.starts_with("Location is") || S.What.starts_with("Thread T") ||
             S.What.starts_with("Mutex M");
    };
    std::erase_if(Now.Sides, isAside);
    All.push_back(std::move(Now));
  }

private:
  void begin(std::string What) {
    end();
    Open = true;
    Names.clear();
    Now = {"", std::move(What), {}};
  }

  std::vector<Report> &All;
  Report Now;
  std::map<std::string, std::string> Names;
  bool Open = false;
};

} // namespace

const Frame *Side::place() const {
  auto isOurs = [](const Frame &F) {
    return F.Line && F.File.starts_with('/') && !F.File.starts_with("/usr/include/") &&
           F.Module.find("librdma-emulated") == std::string::npos;
  };
  if (auto Own = std::find_if(Frames.begin(), Frames.end(), isOurs); Own != Frames.end())
    return &*Own;
  auto Known = std::find_if(Frames.begin(), Frames.end(),
                            [](const Frame &F) { return !F.File.empty() || !F.Module.empty(); });
  return Known != Frames.end() ? &*Known : nullptr;
}

std::string Report::fingerprint() const {
  std::uint64_t Hash = 0xcbf29ce484222325; // FNV-1a
  auto add = [&](const std::string &Text) {
    for (unsigned char C : Text + '\0')
      Hash = (Hash ^ C) * 0x100000001b3;
  };
  add(Rule);
  for (const Side &S : Sides) {
    add(S.What);
    for (const Frame &F : S.Frames) {
      add(F.Function);
      add(F.File.substr(F.File.rfind('/') + 1));
    }
  }
  char Digits[17];
  snprintf(Digits, sizeof Digits, "%016" PRIx64, Hash);
  return Digits;
}

std::vector<Report> readLog(std::istream &Log) {
  std::vector<Report> All;
  Reader R(All);
  for (std::string Line; std::getline(Log, Line);)
    R.take(Line);
  R.end();
  return All;
}

} // namespace rdma::report
