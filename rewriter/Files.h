// Contents of files before and after: the diff, and writing all or none.
#pragma once

#include <map>
#include <string>

namespace rdma {

using FileContents = std::map<std::string, std::string>;

/// Throws InputError.
std::string readFile(const std::string &Name);

/// Unified diff with three lines of context, `--- a/NAME` and `+++ b/NAME`; `patch -p1` applies it.
std::string unifiedDiff(const FileContents &Before, const FileContents &After);

/// Writes every file or, after an InputError that names the one that cannot be written, none. Each file
/// changes in one step, by renaming a complete new one over it.
void writeAll(const FileContents &Files);

} // namespace rdma
