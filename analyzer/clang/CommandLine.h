// "@FILE" on the command line stands for the words in that file, as for clang's tools.
#pragma once

#include <memory>

namespace rdma {

/// A command line without response files. One that cannot be read stays as it is, a word like others.
class CommandLine {
public:
  CommandLine(int Argc, char **Argv);
  ~CommandLine();
  int count() const;
  char **words() const; ///< null behind the last; as long as this lives

private:
  struct Storage;
  std::unique_ptr<Storage> Kept;
};

} // namespace rdma
