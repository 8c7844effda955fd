// rdma-run: the options, and what it says when it is used wrongly.
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <fcntl.h>
#include <string>
#include <sys/stat.h>
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

TEST(RdmaRun, TakesAValueAsTheNextWord) {
  EXPECT_EQ(
      run("--schedule ordered --seed 3 --lid 77 sh -c 'echo $RDMA_SCHEDULE $RDMA_SEED $RDMA_LID'").Output,
      "ordered 3 77\n");
}

TEST(RdmaRun, AnswersForItself) {
  EXPECT_EQ(run("-h").Output, run("--help").Output);
  Ran R = run("--version");
  EXPECT_EQ(R.Status, 0);
  EXPECT_TRUE(R.Output.starts_with("rdma-run 0.")) << R.Output;
}

TEST(RdmaRun, SaysWhatIsAllowed) {
  EXPECT_EQ(run("--schedule weka true").Output,
            "rdma-run: error: bad value: --schedule=weka: strong, weak or ordered is expected\n");
  EXPECT_EQ(run("--nodes=65 true").Output,
            "rdma-run: error: bad value: --nodes=65: a number from 1 to 64 is expected\n");
}

/// The first node has the LID that was asked for; others follow.
TEST(RdmaRun, FixesTheLid) {
  std::string Output = run("--lid=300 --nodes=2 --fabric=lid-$$ ibv_devinfo").Output;
  size_t First = Output.find("port_lid:\t\t300\n");
  EXPECT_NE(First, std::string::npos) << Output;
  EXPECT_NE(Output.find("port_lid:\t\t301\n", First), std::string::npos) << Output;
}

/// A place of its own for each fabric: a foreign node is not taken for one's own.
TEST(RdmaRun, FabricsHaveDifferentLids) {
  auto lidOn = [](const std::string &Fabric) {
    std::string Output = run("--fabric=" + Fabric + " ibv_devinfo | grep port_lid").Output;
    return Output;
  };
  EXPECT_NE(lidOn("one-$$"), lidOn("another-$$"));
}

/// What the user sets wins over the defaults for programs under a sanitizer.
TEST(RdmaRun, PreparesSanitizers) {
  EXPECT_EQ(run("env ASAN_OPTIONS= sh -c true").Status, 0);
  FILE *Pipe = popen(("ASAN_OPTIONS=verify_asan_link_order=1 " RDMA_RUN " sh -c 'echo $ASAN_OPTIONS'"), "r");
  std::array<char, 256> Line = {};
  ASSERT_TRUE(fgets(Line.data(), Line.size(), Pipe));
  pclose(Pipe);
  EXPECT_STREQ(Line.data(), "verify_asan_link_order=0:verify_asan_link_order=1\n");
}

/// Programs into which no library can be loaded, and limits under which the device cannot work.
TEST(RdmaRun, SaysWhyAProgramCannotRun) {
  Ran Static = run(STATIC_PROGRAM);
  EXPECT_EQ(Static.Status, 2);
  EXPECT_NE(Static.Output.find("is linked statically"), std::string::npos) << Static.Output;
  Ran Files = run("true; ulimit -f 1000; " RDMA_RUN " true");
  EXPECT_EQ(Files.Status, 2);
  EXPECT_NE(Files.Output.find("ulimit -f"), std::string::npos) << Files.Output;
  Ran Space = run("true; ulimit -v 4000000; " RDMA_RUN " true");
  EXPECT_NE(Space.Output.find("ulimit -v"), std::string::npos) << Space.Output;
}

TEST(RdmaRun, SaysWhySetuidCannotRun) {
  std::string Path = testing::TempDir() + "setuid-" + std::to_string(getpid());
  int File = open(Path.c_str(), O_CREAT | O_EXCL | O_RDWR, 0700);
  ASSERT_GE(File, 0);
  // Of another user, where that can be arranged.
  bool Arranged = fchown(File, geteuid() + 1, getegid()) == 0 && fchmod(File, 04755) == 0;
  close(File);
  Ran R = run(Path);
  unlink(Path.c_str());
  if (!Arranged) // without that there is no such program to refuse
    GTEST_SKIP() << "only root can give a file to another user";
  EXPECT_EQ(R.Status, 2);
  EXPECT_NE(R.Output.find("setuid"), std::string::npos) << R.Output;
}

TEST(RdmaRun, PassesTheStatusOn) { EXPECT_EQ(run("sh -c 'exit 7'").Status, 7); }

TEST(RdmaRun, UsageErrorsAreOneLine) {
  for (const char *Arguments : {"",
                                "--nonsense true",
                                "--lid=0 true",
                                "--lid=49152 true",
                                "--rnr-grace=later true",
                                "--seed",
                                "--schedule",
                                "--seed=x true",
                                "--seed=-1 true",
                                "--seed=99999999999999999999 true",
                                "--schedule=odd true",
                                "--latency=5parsec true",
                                "--fabric= true",
                                "--nodes=0 true",
                                "--nodes=65 true",
                                "--sarif= true",
                                "--sarif=/no/such/folder/a.sarif true",
                                "--torn true",
                                "--schedule=weak --torn=bytes true",
                                "--nodes=two true",
                                "--connect-timeout=soon true",
                                "/no/such/program"}) {
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
  for (const char *Option :
       {"--schedule=strong|weak|ordered ", "--seed=N ", "--torn=words|lines ", "--latency=TIME ",
        "--rnr-grace=TIME ", "--fabric=NAME ", "--lid=N ", "--nodes=N ", "--connect-timeout=TIME "})
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
