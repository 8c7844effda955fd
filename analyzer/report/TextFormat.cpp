#include "analyzer/report/Explain.h"
#include "analyzer/report/Formats.h"
#include "analyzer/report/Texts.h"

#include <algorithm>
#include <cstdio>

namespace rdma {
namespace {

std::string located(const Place &At, const char *Level, const std::string &Text) {
  std::string Where = At.File.empty() ? "rdma-tidy" : At.File;
  if (At.Line)
    Where += ":" + std::to_string(At.Line) + ":" + std::to_string(At.Column);
  return Where + ": " + Level + ": " + Text + "\n";
}

std::string snippet(const Place &At, SourceLines &Sources) {
  const std::string *Line = Sources.line(At);
  if (!Line)
    return "";
  char Number[16];
  std::snprintf(Number, sizeof Number, "%5u", At.Line);
  std::string Caret = Line->substr(0, std::min<std::size_t>(At.Column ? At.Column - 1 : 0, Line->size()));
  std::replace_if(Caret.begin(), Caret.end(), [](char C) { return C != '\t'; }, ' ');
  return std::string(Number) + " | " + *Line + "\n      | " + Caret + "^\n";
}

std::string counted(unsigned Count, const std::string &Noun) {
  return std::to_string(Count) + " " + Noun + (Count == 1 ? "" : "s");
}

} // namespace

std::string asText(const std::vector<Finding> &Findings, const SourceOverlay &Overlay) {
  SourceLines Sources(Overlay);
  std::string Text;
  for (const Finding &F : Findings) {
    const char *Level = F.Level == Severity::Warning ? "warning" : "remark";
    Text += located(F.Main.At, Level, F.Main.Text + " [" + F.Check + "]") + snippet(F.Main.At, Sources);
    std::vector<Note> Notes = F.Notes, Shown = confirmationNotes(F);
    Notes.insert(Notes.end(), Shown.begin(), Shown.end());
    for (const Note &N : Notes)
      Text += located(N.At, "note", N.Text) + snippet(N.At, Sources);
  }
  return Text;
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

static std::string verdict(bool Found, const Summary &S, bool Remarks) {
  if (S.Robust)
    return text(TextId::VerdictRobust, {S.Model});
  return text(Found ? TextId::VerdictFindings : Remarks ? TextId::VerdictRemarks : TextId::VerdictOpen);
}

std::string honestLine(const std::vector<Finding> &Findings, const Summary &S, double Seconds) {
  unsigned Warnings = std::count_if(Findings.begin(), Findings.end(),
                                    [](const Finding &F) { return F.Level == Severity::Warning; });
  char Time[32];
  std::snprintf(Time, sizeof Time, " (%.2f s)\n", Seconds);
  return counted(Warnings, "finding") + "; " + counted(S.Operations, "operation") + " on " +
         counted(S.QueuePairs, "queue pair") + " analysed; " + counted(S.PairsOrdered, "pair") +
         " ordered, " + std::to_string(S.PairsNotOrdered) + " not, " + std::to_string(S.PairsNotProved) +
         " not proved; " + counted(S.SitesNotAnalysed, "site") + " not analysed" + Time +
         "rdma-tidy: " + verdict(S.PairsNotOrdered, S, S.SitesNotAnalysed + S.PairsNotProved) + "\n";
}

} // namespace rdma
