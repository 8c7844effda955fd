#include "analyzer/diagram/Page.h"
#include "analyzer/report/Checks.h"
#include "analyzer/report/Explain.h"
#include "analyzer/report/Pages.h"

#include <algorithm>
#include <set>

namespace rdma {
namespace {

constexpr const char *Css =
#include "page.css.inc"
    ;
constexpr const char *Script =
#include "page.js.inc"
    ;

class Section {
public:
  Section(const Finding &F, const Drawing *Drawn, std::size_t Number, SourceLines &Sources)
      : F(F), Drawn(Drawn), Id("f" + std::to_string(Number)), Sources(Sources) {}

  std::string run() {
    Notes = F.Notes;
    // The steps are on the picture; of the words about the execution the first line is enough.
    if (std::vector<Note> Shown = confirmationNotes(F); !Shown.empty())
      Notes.push_back(Shown.front());
    std::string Out = "<section id=\"" + Id + "\" class=\"finding " + level() + "\">\n<h2>" +
                      xml(F.Main.Text) + " <a class=\"check\" href=\"#page-" + xml(F.Check) + "\">" +
                      xml(F.Check) + "</a></h2>\n";
    Out += "<ol class=\"notes\">\n" + note(F.Main, level());
    for (const Note &N : Notes)
      Out += note(N, "note");
    Out += "</ol>\n" + sources();
    if (Drawn && !Drawn->Cycle.Nodes.empty())
      Out += "<h3>Why no order explains it</h3>\n<div class=\"picture\">" +
             asSvg(Drawn->Cycle, Sources, link()) + "</div>\n";
    if (Drawn && !Drawn->Run.Steps.empty())
      Out += execution();
    return Out + "</section>\n";
  }

private:
  std::string level() const {
    return F.AsError ? "error" : F.Level == Severity::Warning ? "warning" : "remark";
  }

  std::string anchor(const Place &At) const {
    return Id + "-" + uriSafe(At.File) + "-" + std::to_string(At.Line);
  }
  static std::string uriSafe(const std::string &File) {
    std::string Safe;
    for (unsigned char C : File)
      Safe += std::isalnum(C) ? std::string(1, C) : "_" + std::to_string(C);
    return Safe;
  }
  LinkTo link() {
    return [this](const Place &At) { return Sources.line(At) ? "#" + anchor(At) : ""; };
  }

  std::string note(const Note &N, const std::string &Kind) {
    std::string Where = N.At.Line
                            ? N.At.File + ":" + std::to_string(N.At.Line) + ":" + std::to_string(N.At.Column)
                            : N.At.File;
    std::string Shown = "<span class=\"where\">" + xml(Where) + "</span>";
    if (N.At.Line && Sources.line(N.At))
      Shown = "<a href=\"#" + anchor(N.At) + "\">" + Shown + "</a>";
    return "<li class=\"" + Kind + "\">" + Shown + " <b>" + Kind + "</b> " + xml(N.Text) + "</li>\n";
  }

  /// Every line that is spoken of, with two around it.
  std::string sources() {
    std::map<std::string, std::map<unsigned, bool>> Lines;
    auto Add = [&](const Place &At) {
      if (!Sources.line(At))
        return;
      for (unsigned L = At.Line > 2 ? At.Line - 2 : 1; L <= At.Line + 2; ++L)
        Lines[At.File][L] |= L == At.Line;
    };
    Add(F.Main.At);
    for (const Note &N : Notes)
      Add(N.At);
    if (Drawn)
      for (const TimelineStep &S : Drawn->Run.Steps)
        Add(S.At);
    if (Drawn)
      for (const CycleNode &N : Drawn->Cycle.Nodes)
        Add(N.At);
    std::string Out;
    for (const auto &[File, Numbers] : Lines)
      Out += "<figure class=\"source\"><figcaption>" + xml(File) + "</figcaption>" + excerpt(File, Numbers) +
             "</figure>\n";
    return Out;
  }

  std::string excerpt(const std::string &File, const std::map<unsigned, bool> &Numbers) {
    std::string Out = "<pre>";
    unsigned Before = 0;
    for (auto [Number, Spoken] : Numbers) {
      Place At{File, Number, 0, ""};
      const std::string *Text = Sources.line(At);
      if (!Text)
        continue;
      if (Before && Number > Before + 1)
        Out += "<span class=\"gap\">⋮</span>\n";
      Before = Number;
      std::string Class = Spoken ? " class=\"spoken\"" : "";
      Out += "<span id=\"" + anchor(At) + "\"" + Class + "><i>" + std::to_string(Number) + "</i>" +
             xml(*Text) + "</span>\n";
    }
    return Out + "</pre>";
  }

  std::string execution() {
    const std::vector<TimelineStep> &Steps = Drawn->Run.Steps;
    std::string Out = "<h3>The execution that shows it</h3>\n<div class=\"execution\" data-steps=\"" +
                      std::to_string(Steps.size()) + "\">\n<div class=\"controls\">" +
                      "<button class=\"back\">◀ back</button><button class=\"forth\">forth ▶</button>"
                      "<button class=\"all\">all</button> <output></output></div>\n<ol class=\"steps\">\n";
    for (const TimelineStep &S : Steps)
      Out += "<li data-line=\"" + (Sources.line(S.At) ? anchor(S.At) : "") + "\">" + xml(S.Text) + "</li>\n";
    return Out + "</ol>\n<div class=\"picture\">" + asSvg(Drawn->Run, link()) + "</div>\n</div>\n";
  }

  const Finding &F;
  const Drawing *Drawn;
  std::string Id;
  SourceLines &Sources;
  std::vector<Note> Notes;
};

std::string checkPages(const std::set<std::string> &Checks) {
  std::string Out;
  for (const std::string &Name : Checks)
    Out += "<details id=\"page-" + xml(Name) + "\"><summary>" + xml(Name) + ": what it means</summary><pre>" +
           xml(pageOf(Name).Markdown) + "</pre></details>\n";
  return Out;
}

} // namespace

std::string asHtml(const std::vector<Finding> &Findings, const std::map<std::size_t, Drawing> &Drawings,
                   const std::string &Verdict) {
  SourceLines Sources({});
  std::string Warnings, Remarks; // what was found comes first
  std::set<std::string> Checks;
  for (std::size_t I = 0; I < Findings.size(); ++I) {
    if (Findings[I].Hidden != Hiding::Shown)
      continue;
    Checks.insert(Findings[I].Check);
    auto Drawn = Drawings.find(I);
    (Findings[I].Level == Severity::Warning ? Warnings : Remarks) +=
        Section(Findings[I], Drawn == Drawings.end() ? nullptr : &Drawn->second, I, Sources).run();
  }
  return "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta "
         "charset=\"utf-8\">\n<title>rdma-tidy</title>\n<link "
         "rel=\"icon\" href=\"data:,\">\n<style>\n" +
         std::string(Css) + "</style>\n</head>\n<body>\n<header><h1>rdma-tidy</h1>\n<pre class=\"verdict\">" +
         xml(Verdict) + "</pre></header>\n<main>\n" + Warnings + Remarks + "</main>\n<footer>\n" +
         checkPages(Checks) + "</footer>\n<script>\n" + Script + "</script>\n</body>\n</html>\n";
}

} // namespace rdma
