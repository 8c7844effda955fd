#include "rewriter/Files.h"

#include "ir/Litmus.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <unistd.h>

using namespace rdma;
namespace fs = std::filesystem;

namespace {

class Files : public testing::Test {
protected:
  void SetUp() override {
    Folder = fs::temp_directory_path() / ("rdma-fix-test-" + std::to_string(getpid()));
    fs::create_directories(Folder);
  }
  void TearDown() override { fs::remove_all(Folder); }
  std::string file(const std::string &Name, const std::string &Text) {
    std::string Path = (Folder / Name).string();
    std::ofstream(Path) << Text;
    return Path;
  }
  fs::path Folder;
};

TEST_F(Files, AllAreWritten) {
  std::string A = file("a", "1"), B = file("b", "2");
  writeAll({{A, "one"}, {B, "two"}});
  EXPECT_EQ(readFile(A) + readFile(B), "onetwo");
}

TEST_F(Files, NoneIsWrittenWhenOneIsReadOnly) {
  std::string A = file("a", "1"), B = file("b", "2");
  fs::permissions(B, fs::perms::owner_read);
  EXPECT_THROW(writeAll({{A, "one"}, {B, "two"}}), InputError);
  EXPECT_EQ(readFile(A) + readFile(B), "12");
  EXPECT_EQ(std::distance(fs::directory_iterator(Folder), {}), 2) << "nothing is left behind";
}

TEST_F(Files, DiffsApplyWithPatch) {
  std::string Old, New;
  for (int I = 0; I < 40; ++I) {
    Old += "line " + std::to_string(I) + "\n";
    New += I == 20 ? "changed\nand one more\n" : "line " + std::to_string(I) + "\n";
  }
  std::string Path = file("f.c", Old), Diff = file("d", unifiedDiff({{"f.c", Old}}, {{"f.c", New}}));
  ASSERT_EQ(std::system(("cd " + Folder.string() + " && patch -s -p1 < d").c_str()), 0);
  EXPECT_EQ(readFile(Path), New);
}

} // namespace
