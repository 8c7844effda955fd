// Bad input ends with one clear line.
#include "Source.h"

namespace rdma::test {
namespace {

std::string messageOf(const ExtractionOptions &Options) {
  try {
    extract(Options);
  } catch (const InputError &E) {
    return E.what();
  }
  return "accepted";
}

TEST(Input, MissingFile) {
  ExtractionOptions Options;
  Options.Files = {"not-there.c"};
  Options.HasFlags = true;
  EXPECT_EQ(messageOf(Options), "not-there.c: error: no such file");
}

TEST(Input, SourceThatDoesNotCompile) {
  ExtractionOptions Options;
  Options.Files = {"broken.c"};
  Options.HasFlags = true;
  Options.Overlay["broken.c"] = "int f(void) {\n  return x;\n}\n";
  EXPECT_EQ(messageOf(Options), "broken.c:2:10: error: use of undeclared identifier 'x'");
}

TEST(Input, TopologyWithAnUnknownFunction) {
  ExtractionOptions Options;
  Options.Files = {"a.c"};
  Options.HasFlags = true;
  Options.TopologyFile = "t.json";
  Options.Overlay["a.c"] = "int f(void) { return 0; }\n";
  Options.Overlay["t.json"] = R"({"nodes": {"n": {"entries": ["g"]}}})";
  EXPECT_EQ(messageOf(Options),
            "t.json:1:30: error: no function 'g' in a.c; a static or inline function that "
            "nothing calls is not compiled");
}

TEST(Input, FilesAreLinked) {
  ExtractionOptions Options;
  Options.Files = {"a.c", "b.c"};
  Options.HasFlags = true;
  Options.Overlay["a.c"] =
      Prelude + "void step(struct conn *c) { post(c, IBV_WR_RDMA_WRITE, 0, &mine.first, 8, 0); }";
  Options.Overlay["b.c"] =
      Prelude + "void step(struct conn *c); int main(void) { struct conn c; connect_all(&c); step(&c); }";
  Extraction E = extract(Options);
  EXPECT_EQ(E.Operations, 1u);
  EXPECT_EQ(E.Code.QueuePairs.at(0).Name, "c.qp");
}

} // namespace
} // namespace rdma::test
