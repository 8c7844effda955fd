// Findings as text in clang's form, as JSON, and as SARIF.
#pragma once

#include "analyzer/core/Verdict.h"
#include "analyzer/report/Finding.h"
#include "analyzer/report/SourceLines.h"

#include <nlohmann/json.hpp>

namespace rdma {

struct TextStyle {
  bool Coloured = false; ///< in clang's colours
  bool Linked = false;   ///< names of checks as a terminal's links to their pages
};

/// FILE:LINE:COL: warning: … [check], the source line with a caret, and the notes likewise; warnings before
/// remarks.
std::string asText(const std::vector<Finding> &Findings, const SourceOverlay &Sources = {},
                   TextStyle Style = {});

/// Findings holds the hidden ones too, which are counted by why they are hidden.
/// "3 findings, 1 suppressed (1 by NOLINT); 128 operations on 4 queue pairs analysed; 341 pairs ordered, 3
/// not, 2 not proved; 1 site not analysed (0.21 s)", then the verdict.
std::string honestLine(const std::vector<Finding> &Findings, const Summary &S, double Seconds);

/// Something is not known, or nothing was asked, and nobody said that this is as it should be.
bool isUnknown(const std::vector<Finding> &Findings, const Summary &S);

/// The verdict of each condition, a line each: what a litmus file's user asks first.
std::string verdicts(const Verdict &V, const Summary &S);

/// The verdict of each condition, the findings that are shown, each with those it stands for ("also"), and
/// the figures of the honest line.
nlohmann::json asJson(const std::vector<Finding> &Findings, const Verdict &V, const Summary &S);

/// "confirmed", and with it the steps of the "execution", or the "bound" of the search and whether it was
/// "complete", or why it was "not_tried".
nlohmann::json asJson(const Confirmation &C);

/// SARIF 2.1.0, as code-scanning services read it; verdicts and figures are the run's properties. An
/// execution that shows a result is its code flow, with a flow for each thread. Findings hidden by NOLINT or
/// a baseline are results with suppressions.
nlohmann::json asSarif(const std::vector<Finding> &Findings, const Verdict &V, const Summary &S);

} // namespace rdma
