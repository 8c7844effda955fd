// rdma-run: the options, and what it says when it is used wrongly.
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

namespace {

struct Ran {
  int Status;
  std::string Output;
};

Ran run(const std::string &Arguments) {
  FILE *Pipe = popen((RDMA_RUN " " + Arguments + " 2>&1").c_str(), "r");
  std::string Output;
  std::array<char, 256> Part;
  while (size_t N = fread(Part.data(), 1, Part.size(), Pipe))
    Output.append(Part.data(), N);
  int Status = pclose(Pipe);
  return {WIFEXITED(Status) ? WEXITSTATUS(Status) : -1, Output};
}

TEST(RdmaRun, SetsTheEnvironment) {
  Ran R = run(
      "--schedule=weak --seed=12 --latency=5us --fabric=mine --nodes=3 --connect-timeout=2s "
      "sh -c 'echo $RDMA_SCHEDULE $RDMA_SEED $RDMA_LATENCY $RDMA_FABRIC $RDMA_NODES $RDMA_CONNECT_TIMEOUT'");
  EXPECT_EQ(R.Status, 0);
  EXPECT_EQ(R.Output, "weak 12 5us mine 3 2s\n");
}

TEST(RdmaRun, PassesTheStatusOn) { EXPECT_EQ(run("sh -c 'exit 7'").Status, 7); }

TEST(RdmaRun, UsageErrorsAreOneLine) {
  for (const char *Arguments :
       {"", "--nonsense true", "--seed=x true", "--seed=-1 true", "--seed=99999999999999999999 true",
        "--schedule=odd true", "--latency=5parsec true", "--fabric= true", "--nodes=0 true",
        "--nodes=65 true", "--nodes=two true", "--connect-timeout=soon true", "/no/such/program"}) {
    Ran R = run(Arguments);
    EXPECT_EQ(R.Status, 2) << Arguments;
    EXPECT_TRUE(R.Output.starts_with("rdma-run: error: ")) << R.Output;
    EXPECT_EQ(R.Output.find('\n'), R.Output.size() - 1) << R.Output;
  }
}

/// A program that got the variable by another way hears it from the device.
TEST(RdmaRun, TheDeviceChecksTheNumberOfNodes) {
  for (const char *Value : {"0", "65", "two", "-1"}) {
    Ran R = run(std::string("env RDMA_NODES=") + Value + " ibv_devices");
    EXPECT_EQ(R.Status, 2) << Value;
    EXPECT_EQ(R.Output,
              std::string("rdma: error: RDMA_NODES='") + Value + "': a number from 1 to 64 is expected\n");
  }
}

TEST(RdmaRun, TheDeviceChecksTheSeed) {
  for (const char *Value : {"-1", "99999999999999999999", "", "1x"}) {
    Ran R = run(std::string("env RDMA_SEED=") + Value + " ibv_devices");
    EXPECT_EQ(R.Status, 2) << Value;
    EXPECT_EQ(R.Output, std::string("rdma: error: RDMA_SEED='") + Value + "': a number is expected\n");
  }
}

/// Each option stands in the help, with what it means.
TEST(RdmaRun, ExplainsItsOptions) {
  Ran R = run("--help");
  EXPECT_EQ(R.Status, 0);
  for (const char *Option : {"--schedule=strong|weak ", "--seed=N ", "--latency=TIME ", "--fabric=NAME ",
                             "--nodes=N ", "--connect-timeout=TIME "})
    EXPECT_NE(R.Output.find(std::string("\n  ") + Option), std::string::npos) << R.Output;
}

/// Programs of the system, built long before.
TEST(RdmaRun, RunsProgramsOfTheSystem) {
  ASSERT_EQ(access("/usr/bin/ibv_devices", X_OK), 0) << "ibverbs-utils is one of .ci/packages";
  Ran R = run("ibv_devices");
  EXPECT_EQ(R.Status, 0);
  EXPECT_NE(R.Output.find("rdma_emulated0"), std::string::npos) << R.Output;
}

} // namespace
