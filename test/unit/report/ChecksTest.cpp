#include "analyzer/report/Checks.h"
#include "analyzer/report/Texts.h"

#include <gtest/gtest.h>

using namespace rdma;

namespace {

TEST(Checks, ListsAreReadFromLeftToRight) {
  EXPECT_TRUE(enabled("rdma-fenced", ""));
  EXPECT_FALSE(enabled("rdma-fenced-strict", ""));
  EXPECT_TRUE(enabled("rdma-fenced-strict", "rdma-fenced-strict"));
  EXPECT_FALSE(enabled("rdma-fenced", "-*,rdma-local-race"));
  EXPECT_TRUE(enabled("rdma-local-race", "-*,rdma-local-race"));
  EXPECT_FALSE(enabled("rdma-local-race", "rdma-local-race,-*"));
}

TEST(Checks, AGlobWantsACheck) {
  EXPECT_EQ(unknownCheck(""), "");
  EXPECT_EQ(unknownCheck("-*,rdma-f*,rdma-local-race,"), "");
  EXPECT_EQ(unknownCheck("-*,foo"), "foo");
  EXPECT_EQ(unknownCheck("*,-rdma-race"), "-rdma-race");
}

TEST(Checks, SelectedKeepsTheOrder) {
  std::vector<Finding> Findings = {{"rdma-fenced", Severity::Warning, {}},
                                   {"rdma-local-race", Severity::Warning, {}},
                                   {"rdma-fenced", Severity::Remark, {}}};
  std::vector<Finding> Left = selected(Findings, "-rdma-local-race");
  ASSERT_EQ(Left.size(), 2u);
  EXPECT_EQ(Left[1].Level, Severity::Remark);
}

TEST(Texts, NamesAreReplacedAndNothingElse) {
  EXPECT_EQ(text(TextId::EarlyWrite, {"page", "a"}), "this WRITE may change 'page' on node 'a'");
  EXPECT_THROW(text(TextId::EarlyWrite, {"page"}), std::out_of_range);
}

// clang's rules for a diagnostic: lower case but for the words of verbs, no full stop, no contractions.
TEST(Texts, KeepToClangsWording) {
  for (const TextEntry &Entry : allTexts()) {
    EXPECT_FALSE(Entry.Words.ends_with('.')) << Entry.Name;
    EXPECT_EQ(Entry.Words.find("n't"), Entry.Words.npos) << Entry.Name;
    bool Capital = std::isupper(static_cast<unsigned char>(Entry.Words.front()));
    EXPECT_TRUE(!Capital || Entry.Words.starts_with("READ") || Entry.Words.starts_with("WRITE"))
        << Entry.Name;
  }
}

} // namespace
