// Contents of files before and after: the diff, and writing all or none.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace rdma {

using FileContents = std::map<std::string, std::string>;

/// Throws InputError.
std::string readFile(const std::string &Name);

/// Unified diff with three lines of context, `--- a/NAME` and `+++ b/NAME`; `patch -p1` applies it.
std::string unifiedDiff(const FileContents &Before, const FileContents &After);

/// Length bytes at Offset of the old text become Text.
struct Change {
  std::size_t Offset = 0, Length = 0;
  std::string Text;
};
/// From front to back; of changed lines only what differs.
std::vector<Change> changes(const std::string &Old, const std::string &New);

/// By line of the new text, the line of the old one that it comes from, or that it is inserted before; both
/// from 1.
std::vector<unsigned> linesBefore(const std::string &Old, const std::string &New);

/// Writes every file or, after an InputError that names the one that cannot be written, none. Each file
/// changes in one step, by renaming a complete new one over it; of a symbolic link, the file that it leads
/// to.
void writeAll(const FileContents &Files);

} // namespace rdma
