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

/// The second one cannot be replaced: a folder has the name that its old text would be kept under.
TEST_F(Files, AllOrNoneAreRenamed) {
  std::string A = file("a", "1"), B = file("b", "2");
  fs::create_directories(Folder / "b.rdma-fix-old" / "full");
  EXPECT_THROW(writeAll({{A, "one"}, {B, "two"}}), InputError);
  EXPECT_EQ(readFile(A) + readFile(B), "12");
}

TEST_F(Files, SymbolicLinksStayLinks) {
  std::string A = file("a", "1"), Link = (Folder / "link").string();
  fs::create_symlink("a", Link);
  writeAll({{Link, "one"}});
  EXPECT_TRUE(fs::is_symlink(Link));
  EXPECT_EQ(readFile(A), "one");
}

TEST_F(Files, ChangesAreWhatDiffers) {
  std::string Old = "a\nb\nc\nd\n", New = "a\nx\nb\nd\nlast";
  std::vector<Change> Found = changes(Old, New);
  EXPECT_EQ(Found.size(), 3u);
  for (auto C = Found.rbegin(); C != Found.rend(); ++C)
    Old.replace(C->Offset, C->Length, C->Text);
  EXPECT_EQ(Old, New);
}

TEST_F(Files, AChangedLineIsChangedWhereItDiffers) {
  std::vector<Change> Found = changes("a\n  if (x)\n    y;\n", "a\n  if (x) {\n    y;\n");
  ASSERT_EQ(Found.size(), 1u);
  EXPECT_EQ(Found[0].Offset, 10u);
  EXPECT_EQ(Found[0].Length, 0u);
  EXPECT_EQ(Found[0].Text, " {");
  Found = changes("\xc3\xa8\n", "\xc3\xa9\n");
  ASSERT_EQ(Found.size(), 1u);
  EXPECT_EQ(Found[0].Text, "\xc3\xa9\n");
}

TEST_F(Files, LinesComeFromWhereTheyWere) {
  using Lines = std::vector<unsigned>;
  EXPECT_EQ(linesBefore("a\nb\nc\n", "a\nb\nc\n"), (Lines{1, 2, 3}));
  EXPECT_EQ(linesBefore("a\nb\nc\n", "new\na\nnew\nb\nc\nlast\n"), (Lines{1, 1, 2, 2, 3, 3}));
  EXPECT_EQ(linesBefore("a\nb\nc\n", "a\nc\n"), (Lines{1, 3}));
  // Of changed lines that stand together, each comes from what it was.
  EXPECT_EQ(linesBefore("if (a)\n  b = 2;\nc();\n", "if (a) {\n  wait();\n    b = 2;\n}\nc(d);\n"),
            (Lines{1, 1, 2, 2, 3}));
  EXPECT_EQ(linesBefore("", "a\n"), (Lines{1}));
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
