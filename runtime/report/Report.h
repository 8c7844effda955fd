// Reports of ThreadSanitizer and of the device's own check (device/Lifetime.cpp), read from their text.
#pragma once

#include <istream>
#include <string>
#include <vector>

namespace rdma::report {

struct Frame {
  std::string Function, File, Module; ///< empty: not known
  unsigned Line = 0, Column = 0;
};

/// One of the stacks of a report: an access, or what else it tells of.
struct Side {
  std::string What; ///< "Previous read of size 8 by 'NIC: reads of sources'"
  std::vector<Frame> Frames;

  /// The innermost frame with a line of the program's sources, else with a file or module; null without any.
  const Frame *place() const;
};

struct Report {
  std::string Rule; ///< as in suppressions: race, lifetime, or another kind of ThreadSanitizer's
  std::string What;
  std::vector<Side> Sides; ///< what is reported, and what it is against

  /// Sixteen digits that the same mistake keeps when lines move and addresses change.
  std::string fingerprint() const;
};

/// All that stand in what one process has said.
std::vector<Report> readLog(std::istream &Log);

/// The same mistake once, with how often it was reported, as SARIF 2.1.0.
std::string sarif(const std::vector<Report> &All, const std::string &Version);

} // namespace rdma::report
