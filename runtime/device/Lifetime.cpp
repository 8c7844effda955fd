// What --check says of requests that outlive what they use.
#include "runtime/device/Check.h"
#include "runtime/device/Context.h"
#include "runtime/device/Node.h"
#include "runtime/device/QueuePair.h"
#include "runtime/device/Settings.h"
#include "runtime/device/Tsan.h"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <fnmatch.h>
#include <fstream>
#include <string>
#include <unistd.h>

namespace rdma::device::check {

namespace {

const char *nameOf(ibv_wr_opcode Opcode) {
  switch (Opcode) {
  case IBV_WR_RDMA_READ:
    return "a READ";
  case IBV_WR_RDMA_WRITE:
  case IBV_WR_RDMA_WRITE_WITH_IMM:
    return "a WRITE";
  case IBV_WR_ATOMIC_CMP_AND_SWP:
  case IBV_WR_ATOMIC_FETCH_AND_ADD:
    return "an atomic";
  default:
    return "a SEND";
  }
}

/// The program names itself as it was called, which says little when it has changed its folder.
std::string pathOf(const Dl_info &Info) {
  char Self[4096];
  ssize_t Length = *Info.dli_fname == '/' ? -1 : readlink("/proc/self/exe", Self, sizeof Self);
  return Length < 0 ? Info.dli_fname : std::string(Self, static_cast<size_t>(Length));
}

/// The place of a return address, as addr2line(1) takes it; with source and line where a sanitizer can tell,
/// and then of each call that was inlined there, innermost first.
std::vector<std::string> describe(void *Pc) {
  using Symbolizer = void (*)(void *, const char *, char *, size_t);
  static auto Symbolize = reinterpret_cast<Symbolizer>(dlsym(RTLD_DEFAULT, "__sanitizer_symbolize_pc"));
  char Text[4096] = {};
  if (Symbolize) {
    Symbolize(Pc, "%f %S", Text, sizeof Text - 1);
    std::vector<std::string> Places;
    for (const char *At = Text; *At; At += Places.back().size() + 1)
      Places.emplace_back(At);
    return Places;
  }
  Dl_info Info;
  if (!dladdr(Pc, &Info))
    return {"?"};
  snprintf(Text, sizeof Text, "%s (%s+0x%zx)", Info.dli_sname ? Info.dli_sname : "?", pathOf(Info).c_str(),
           static_cast<size_t>(static_cast<char *>(Pc) - static_cast<char *>(Info.dli_fbase)) - 1);
  return {Text};
}

std::vector<std::string> describe(const Stack &At) {
  std::vector<std::string> All;
  for (void *Pc : At)
    for (std::string &Place : describe(Pc))
      All.push_back(std::move(Place));
  return All;
}

/// Where reports go: standard error, or with rdma-run --sarif a file of this process.
FILE *output() {
  const char *Log = getenv("RDMA_CHECK_LOG");
  std::string Name = Log ? std::string(Log) + "." + std::to_string(getpid()) + ".device" : "";
  FILE *File = Log ? fopen(Name.c_str(), "ae") : nullptr;
  return File ? File : stderr;
}

void print(FILE *To, const char *Title, const Stack &At) {
  fprintf(To, "  %s:\n", Title);
  size_t Number = 0;
  for (const std::string &Place : describe(At))
    fprintf(To, "    #%zu %s\n", Number++, Place.c_str());
}

/// A program that is not looked at ends with the status that ThreadSanitizer gives one of which it has
/// reported something; exitcode of TSAN_OPTIONS is for both.
int statusOfReports() {
  constexpr int OfThreadSanitizer = 66;
  const char *Options = getenv("TSAN_OPTIONS");
  std::string Text = Options ? Options : "";
  const std::string Name = "exitcode=";
  size_t Last = Text.rfind(Name);
  return Last == std::string::npos ? OfThreadSanitizer : atoi(Text.c_str() + Last + Name.size());
}

std::atomic<pid_t> Reporter{0}; ///< a child of a fork has reported nothing yet

/// Those that are still to be called get this status, ThreadSanitizer's among them.
void endWithReports(int, void *) {
  if (Reporter == getpid())
    if (int Status = statusOfReports())
      exit(Status);
}

/// Called behind what the program asks for, and behind the destructors.
[[gnu::constructor]] void awaitEnd() { on_exit(endWithReports, nullptr); }

void finish(FILE *To) {
  Reporter = getpid();
  fputs("rdma-run: end of the report\n", To);
  if (To != stderr)
    fclose(To);
  if (Settings::get().Check == CheckMode::Abort)
    abort();
}

/// Patterns of the lines lifetime:PATTERN of --suppressions, as fnmatch(3) takes them.
std::vector<std::string> readSuppressions() {
  std::vector<std::string> Patterns;
  const char *Path = getenv("RDMA_SUPPRESSIONS");
  std::ifstream File(Path ? Path : "");
  const std::string Kind = "lifetime:";
  for (std::string Line; std::getline(File, Line);)
    if (Line.starts_with(Kind))
      Patterns.push_back("*" + Line.substr(Kind.size()) + "*");
  return Patterns;
}

/// Does a function or source file on the stack match one of them?
bool isSuppressed(const Stack &At) {
  static const auto *Patterns = new std::vector<std::string>(readSuppressions());
  if (Patterns->empty())
    return false;
  std::vector<std::string> Places = describe(At);
  return std::any_of(Places.begin(), Places.end(), [](const std::string &Place) {
    return std::any_of(Patterns->begin(), Patterns->end(), [&](const std::string &Pattern) {
      return fnmatch(Pattern.c_str(), Place.c_str(), 0) == 0;
    });
  });
}

enum class Text {
#define TEXT(Name, Words) Name,
#include "LifetimeTexts.def"
};
constexpr const char *Texts[] = {
#define TEXT(Name, Words) Words,
#include "LifetimeTexts.def"
};

void report(Text What, size_t Requests, const Outstanding &First) {
  if (isSuppressed(callers()) || isSuppressed(*First.PostedAt))
    return;
  FILE *To = output();
  std::string Words = Texts[static_cast<size_t>(What)];
  Words.replace(Words.find("%1"), 2, std::to_string(Requests) + (Requests == 1 ? " request" : " requests"));
  Words.replace(Words.find("%2"), 2, nameOf(First.Opcode));
  fprintf(To, "rdma-run: check: %s\n", Words.c_str());
  print(To, "here", callers());
  print(To, "the first of them was posted", *First.PostedAt);
  finish(To);
}

} // namespace

void stopped(QueuePair &Qp, bool Leaving) {
  if (Qp.CheckedReceives)
    Qp.CheckedReceives->acquireAll();
  if (ibv_srq *Srq = Qp.Base.qp_base.srq) // whatever it took of them
    SharedReceives::of(Srq)->Checked->acquireAll();
  if (!Qp.Checked)
    return;
  Qp.Checked->acquireAll();
  std::vector<Outstanding> Open(Qp.Checked->open().begin(), Qp.Checked->open().end());
  for (const Outstanding &O : Open)
    Qp.Checked->retire(O);
  Qp.Checked->Open.clear();
  Qp.Checked->Oldest = 0;
  if (auto Count = std::count_if(Open.begin(), Open.end(), [](const Outstanding &O) { return O.Signaled; });
      Count && Leaving)
    report(Text::QueuePairEnds, static_cast<size_t>(Count), Open.front());
}

/// Reports the requests of the queue pair that use one of these regions.
static void endOf(Text What, QueuePair &Qp, const std::vector<uint32_t> &Ended) {
  std::lock_guard Guard(Qp.Lock);
  if (!Qp.Checked)
    return;
  auto uses = [&](const Outstanding &O) {
    return std::find_first_of(O.Keys, O.Keys + O.KeyCount, Ended.begin(), Ended.end()) != O.Keys + O.KeyCount;
  };
  std::span<const Outstanding> Open = Qp.Checked->open();
  auto First = std::find_if(Open.begin(), Open.end(), uses);
  if (First == Open.end())
    return;
  auto Count = static_cast<size_t>(std::count_if(Open.begin(), Open.end(), uses));
  report(What, Count, *First);
}

void deregistered(QueuePair &Qp, uint32_t Key) { endOf(Text::RegionEnds, Qp, {Key}); }
void reregistered(QueuePair &Qp, uint32_t Key) { endOf(Text::RegionMoves, Qp, {Key}); }

// A request may use another part of a region than the one that is unmapped: only whole regions count.
void unmapped(uint64_t Begin, uint64_t Size) {
  Node::forEach([=](Node &N) {
    std::vector<uint32_t> Ended;
    for (uint32_t I = 0, End = N.Regions.end(); I < End; ++I)
      if (SharedRegion &R = N.segment().Regions[I];
          R.Key && R.Length && R.Address >= Begin && R.Address + R.Length <= Begin + Size)
        Ended.push_back(R.Key);
    if (!Ended.empty())
      N.forEachQueuePair([&](QueuePair &Qp) { endOf(Text::MemoryEnds, Qp, Ended); });
  });
}

} // namespace rdma::device::check

/// ThreadSanitizer's allocator calls the kernel itself; another one might ask in the middle of the device's
/// work.
extern "C" void rdma_emulated_unmapped(const void *At, size_t Size) {
  using namespace rdma::device;
  if (check::Enabled && Tsan::get())
    check::unmapped(reinterpret_cast<uint64_t>(At), Size);
}
