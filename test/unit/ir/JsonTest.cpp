#include "ir/Json.h"

#include "ir/Litmus.h"

#include <gtest/gtest.h>

#include <filesystem>

using namespace rdma;

namespace {

TEST(Json, RoundTripsEveryPaperTest) {
  for (auto &Entry : std::filesystem::directory_iterator(SOURCE_DIR "/test/litmus")) {
    if (Entry.path().extension() != ".litmus")
      continue;
    Program P = readLitmus(Entry.path().string()).Code;
    nlohmann::json J = toJson(P);
    Program Back = parseProgramJson(J.dump(2), "p.json");
    EXPECT_EQ(toJson(Back), J);
    EXPECT_EQ(writeLitmus(Back), writeLitmus(P));
  }
}

TEST(Json, KeepsWhichQueuePairsAreOne) {
  const std::string Thread = " @ 1 {\n  pair q -> 2 shared 1;\n  put x <- a via q;\n}\n";
  Program P =
      parseLitmus(
          "litmus \"t\"\nnode 1 { a = 0; }\nnode 2 { x = 0; }\nthread 1" + Thread + "thread 2" + Thread, "t")
          .Code;
  ASSERT_EQ(P.QueuePairs.size(), 2u);
  Program Back = parseProgramJson(toJson(P).dump(), "p.json");
  for (const Program &Some : {P, Back, parseLitmus(writeLitmus(P), "t").Code})
    for (const QueuePair &Q : Some.QueuePairs)
      EXPECT_EQ(Q.Shared, 1u);
}

std::string errorOf(const std::string &Text) {
  try {
    parseProgramJson(Text, "p.json");
  } catch (const InputError &E) {
    return E.what();
  }
  return "no error";
}

TEST(Json, NamesThePlaceOfBrokenText) {
  EXPECT_EQ(errorOf("{\n  \"name\": \"t\",\n  nodes\n}"), "p.json:3:4: error: broken JSON");
}

TEST(Json, RefusesWhatIsNotAProgram) {
  EXPECT_EQ(errorOf("{}").find("p.json: error: not an RDMA program: "), 0u);
  Program P;
  P.Name = "t";
  P.Nodes = {{"1", 1}};
  nlohmann::json J = toJson(P);
  J["objects"].push_back({{"name", "x"},
                          {"node", 3},
                          {"initial", 0},
                          {"fresh", false},
                          {"anything", false},
                          {"remote_access", false},
                          {"fields", nlohmann::json::array()}});
  EXPECT_EQ(errorOf(J.dump()), "p.json: error: not an RDMA program: node 3 is out of range");
}

} // namespace
