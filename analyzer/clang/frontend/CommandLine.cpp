#include "analyzer/clang/CommandLine.h"

#include <llvm/Support/CommandLine.h>
#include <llvm/Support/StringSaver.h>

namespace rdma {

struct CommandLine::Storage {
  llvm::BumpPtrAllocator Memory;
  llvm::SmallVector<const char *, 32> Words;
};

CommandLine::CommandLine(int Argc, char **Argv) : Kept(std::make_unique<Storage>()) {
  Kept->Words.assign(Argv, Argv + Argc);
  llvm::StringSaver Saver(Kept->Memory);
  llvm::cl::ExpandResponseFiles(Saver, llvm::cl::TokenizeGNUCommandLine, Kept->Words);
  Kept->Words.push_back(nullptr);
}
CommandLine::~CommandLine() = default;

int CommandLine::count() const { return Kept->Words.size() - 1; }

char **CommandLine::words() const { return const_cast<char **>(Kept->Words.data()); }

} // namespace rdma
