#include "analyzer/report/Explain.h"
#include "analyzer/report/Formats.h"
#include "analyzer/report/Pages.h"
#include "analyzer/report/Texts.h"

#include <algorithm>
#include <cstdio>

namespace rdma {
namespace {

/// Messages in clang's form, and its colours.
class Writer {
public:
  Writer(const SourceOverlay &Overlay, bool Coloured) : Sources(Overlay), Coloured(Coloured) {}

  void message(const Place &At, const char *Level, const std::string &Text) {
    std::string Where = At.File.empty() ? "rdma-tidy" : At.File;
    if (At.Line)
      Where += ":" + std::to_string(At.Line) + ":" + std::to_string(At.Column);
    bool IsNote = Level == std::string_view("note");
    Out += in("1", Where + ": ") + in(colourOf(Level), std::string(Level) + ": ") +
           (IsNote ? Text : in("1", Text)) + "\n";
    snippet(At);
  }

  std::string Out;

private:
  std::string in(const char *Codes, const std::string &Text) const {
    return Coloured ? "\033[" + std::string(Codes) + "m" + Text + "\033[0m" : Text;
  }

  static const char *colourOf(std::string_view Level) {
    return Level == "error" ? "1;31" : Level == "warning" ? "1;35" : Level == "remark" ? "1;34" : "1;36";
  }

  void snippet(const Place &At) {
    const std::string *Line = Sources.line(At);
    if (!Line)
      return;
    char Number[16];
    std::snprintf(Number, sizeof Number, "%5u", At.Line);
    std::string Caret = Line->substr(0, std::min<std::size_t>(At.Column ? At.Column - 1 : 0, Line->size()));
    std::replace_if(Caret.begin(), Caret.end(), [](char C) { return C != '\t'; }, ' ');
    Out += std::string(Number) + " | " + *Line + "\n      | " + Caret + in("1;32", "^") + "\n";
  }

  SourceLines Sources;
  bool Coloured;
};

std::string counted(std::uint64_t Count, const std::string &Noun) {
  return std::to_string(Count) + " " + Noun + (Count == 1 ? "" : "s");
}

} // namespace

/// What terminals show as a link to the check's page.
static std::string linked(const std::string &Check) {
  return "\033]8;;" + pageOf(Check).Uri + "\033\\" + Check + "\033]8;;\033\\";
}

std::string asText(const std::vector<Finding> &Findings, const SourceOverlay &Overlay, TextStyle Style) {
  Writer To(Overlay, Style.Coloured);
  std::vector<const Finding *> Order;
  for (const Finding &F : Findings)
    if (F.Hidden == Hiding::Shown)
      Order.push_back(&F);
  std::stable_partition(Order.begin(), Order.end(),
                        [](const Finding *F) { return F->Level == Severity::Warning; });
  for (const Finding *Next : Order) {
    const Finding &F = *Next;
    const char *Level = F.AsError ? "error" : F.Level == Severity::Warning ? "warning" : "remark";
    const char *Why = F.AsError ? ",-warnings-as-errors]" : "]";
    To.message(F.Main.At, Level, F.Main.Text + " [" + (Style.Linked ? linked(F.Check) : F.Check) + Why);
    std::vector<Note> Notes = F.Notes, Shown = confirmationNotes(F);
    Notes.insert(Notes.end(), Shown.begin(), Shown.end());
    for (const Note &N : Notes)
      To.message(N.At, "note", N.Text);
  }
  return To.Out;
}

std::string verdicts(const Verdict &V, const Summary &S) {
  const std::pair<const char *, bool> Lines[] = {
      {"ldrf", V.Ldrf},       {"fenced", V.Fenced}, {"tree-fenced", V.TreeFenced},
      {"atomics", V.Atomics}, {"cycles", V.Cycles}, {"robust", S.Robust}};
  std::string Text;
  for (auto [Name, Holds] : Lines)
    Text += std::string(Name) + (Holds ? " yes\n" : " no\n");
  return Text;
}

/// Are there remarks, and is none of them shown?
static bool unheard(const std::vector<Finding> &Findings) {
  bool Any = false;
  for (const Finding &F : Findings)
    if (F.Level == Severity::Remark) {
      if (F.Hidden == Hiding::Shown)
        return false;
      Any = true;
    }
  return Any;
}

static std::string verdict(bool Found, const Summary &S, TextId Remarks, bool AllHidden) {
  if (S.Robust)
    return text(TextId::VerdictRobust, {S.Model});
  return text(Found && AllHidden                      ? TextId::VerdictHidden
              : Found                                 ? TextId::VerdictFindings
              : S.SitesNotAnalysed + S.PairsNotProved ? Remarks
              : !S.Operations                         ? TextId::VerdictNothing
              : S.Asked                               ? TextId::VerdictPartial
                                                      : TextId::VerdictOpen);
}

/// ", 3 suppressed (2 by NOLINT, 1 by the baseline)", or nothing.
static std::string suppressed(const std::vector<Finding> &Findings) {
  const std::pair<Hiding, const char *> Reasons[] = {{Hiding::Nolint, " by NOLINT"},
                                                     {Hiding::Baseline, " by the baseline"},
                                                     {Hiding::Filter, " by a filter"},
                                                     {Hiding::Check, " by --checks"}};
  unsigned All = 0;
  std::string List;
  for (auto [Why, Words] : Reasons) {
    unsigned Count = std::count_if(Findings.begin(), Findings.end(), [Why = Why](const Finding &F) {
      return F.Level == Severity::Warning && F.Hidden == Why;
    });
    All += Count;
    if (Count)
      List += (List.empty() ? "" : ", ") + std::to_string(Count) + Words;
  }
  return All ? ", " + std::to_string(All) + " suppressed (" + List + ")" : "";
}

bool isUnknown(const std::vector<Finding> &Findings, const Summary &S) {
  if (!S.Operations || !S.Asked)
    return true;
  return std::any_of(Findings.begin(), Findings.end(), [](const Finding &F) {
    return F.Withholds && F.Hidden != Hiding::Nolint && F.Hidden != Hiding::Baseline;
  });
}

std::string honestLine(const std::vector<Finding> &Findings, const Summary &S, double Seconds) {
  unsigned Warnings = std::count_if(Findings.begin(), Findings.end(), [](const Finding &F) {
    return F.Level == Severity::Warning && F.Hidden == Hiding::Shown;
  });
  std::string Hidden = suppressed(Findings);
  char Time[32];
  std::snprintf(Time, sizeof Time, " (%.2f s)\n", Seconds);
  return counted(Warnings, "finding") + Hidden + "; " + counted(S.Operations, "operation") + " on " +
         counted(S.QueuePairs, "queue pair") + " analysed; " + counted(S.PairsOrdered, "pair") +
         " ordered, " + std::to_string(S.PairsNotOrdered) + " not, " + std::to_string(S.PairsNotProved) +
         " not proved; " + counted(S.SitesNotAnalysed, "site") + " not analysed" +
         (S.FailedPrograms.empty() ? ""
                                   : ", " + counted(S.FailedPrograms.size(), "program") + " not analysed") +
         Time + "rdma-tidy: " +
         verdict(S.PairsNotOrdered, S, unheard(Findings) ? TextId::VerdictUnheard : TextId::VerdictRemarks,
                 !Warnings && !Hidden.empty()) +
         "\n";
}

} // namespace rdma
