#include "Sources.h"

#include "PollText.h"
#include "ThreadText.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>

namespace rdma::test {

std::string includes(const Style &S) {
  std::string Out =
      "#include <infiniband/verbs.h>\n#include <stddef.h>\n#include <stdint.h>\n#include <stdlib.h>\n"
      "#include <string.h>\n#include <sched.h>\n#include <pthread.h>\n";
  for (const char *Name : {"thread", "atomic", "array", "memory", "vector", "unordered_map"})
    Out += S.cpp() ? std::string("#include <") + Name + ">\n" : "";
  if (!S.cpp())
    Out += "#include <stdatomic.h>\n";
  return Out;
}

namespace {

class Writer {
public:
  Writer(const Program &P, const Style &S, std::uint64_t Seed)
      : P(P), S(S), Memory(P, S), Post(S), Threads(P, S, Memory, Post, Seed) {}

  Sources run() {
    bool Two = S[Aspect::Files] != "one";
    std::string Extension = S.cpp() ? ".cpp" : ".c";
    std::string Second = includes(S) + "#include \"case.h\"\n", First = Two ? Second : header(false);
    Sources Out;
    First += Memory.definitions(false) + globalEnds(false);
    if (!Post.inHeader())
      (Two ? Second : First) += Post.helpers(Two);
    (Two ? Second : First) += pollHelper(S, Two);
    for (ThreadIndex T = 0; T < P.Threads.size(); ++T)
      (Two && T % 2 ? Second : First) += Threads.function(T);
    for (NodeId N = 0; N < P.Nodes.size(); ++N)
      First += Threads.starter(N);
    Out.Files = {"case" + Extension};
    Out.Texts["case" + Extension] = First;
    if (Two) {
      Out.Texts["case.h"] = "#pragma once\n" + header(true);
      Out.Texts["second" + Extension] = Second;
      Out.Files.push_back("second" + Extension);
      if (S[Aspect::Files] != "two")
        std::swap(Out.Files[0], Out.Files[1]);
    }
    Out.Topology = topology();
    return Out;
  }

private:
  std::string globalEnds(bool OtherFile) const {
    std::string Out;
    for (QueuePairId Q = 0; S[Aspect::Ends] == "globals" && Q < P.QueuePairs.size(); ++Q)
      Out += std::string(OtherFile ? "extern " : "") + "struct end e" + std::to_string(Q) + ";\n";
    return Out;
  }

  std::string header(bool Shared) const {
    std::string Out = includes(S) + Memory.types();
    if (S[Aspect::Requests] == "ring")
      Out += "struct ring { struct ibv_send_wr wr[4]; struct ibv_sge sge[4]; unsigned head; };\n";
    Out += "struct end {\n  struct ibv_qp *qp;\n  struct ibv_cq *cq;\n" + Memory.addressMembers() +
           "  uint32_t rkey, lkey;\n" + Post.endMembers() + "};\n";
    if (S[Aspect::Ends] == "members" || S[Aspect::Ends] == "array") {
      Out += "struct context {\n";
      for (QueuePairId Q = 0; S[Aspect::Ends] == "members" && Q < P.QueuePairs.size(); ++Q)
        Out += "  struct end e" + std::to_string(Q) + ";\n";
      if (S[Aspect::Ends] == "array")
        Out += "  struct end ends[" + std::to_string(P.QueuePairs.size() + 1) + "];\n";
      Out += std::string(Memory.byPointer() ? "  struct memory *mem;\n" : "  int node;\n") + "};\n";
    }
    if (Shared) {
      Out += Memory.definitions(true) + globalEnds(true) + Post.declarations();
      Out += pollDeclaration(S);
      for (ThreadIndex T = 0; T < P.Threads.size(); ++T)
        Out += Threads.declaration(T);
    }
    return Out + (Post.inHeader() ? Post.helpers(false) : "");
  }

  std::string topology() const {
    nlohmann::json Nodes, Pairs = nlohmann::json::object(), Regions = nlohmann::json::object();
    for (NodeId N = 0; N < P.Nodes.size(); ++N)
      Nodes["n" + P.Nodes[N].Name]["entries"] = Threads.entries(N);
    for (QueuePairId Q = 0; Q < P.QueuePairs.size(); ++Q) {
      const QueuePair &Pair = P.QueuePairs[Q];
      const Thread &Owner = P.Threads[Pair.Owner];
      std::string Entry =
          S[Aspect::Threads] == "entries" ? "thread_" + Owner.Name : "run_" + P.Nodes[Owner.Home].Name;
      std::string End = Threads.end(Q);
      Pairs[Entry][End + "qp"] = {{"node", "n" + P.Nodes[Pair.Target].Name},
                                  {"send_cq", Threads.queue(Pair.Queue)},
                                  {"sq_sig_all", false}};
      for (const auto &[Member, Where] : Memory.regions(Pair.Target))
        Regions[Entry][End + Member] = Where;
    }
    return nlohmann::json{{"nodes", Nodes}, {"queue_pairs", Pairs}, {"regions", Regions}}.dump(1);
  }

  const Program &P;
  const Style &S;
  MemoryText Memory;
  PostText Post;
  ThreadText Threads;
};

/// Memory behind a pointer has a name only where a thread of its node uses it.
bool pointersHaveNames(const Program &P) {
  std::set<NodeId> Named, Needed;
  for (const Thread &T : P.Threads)
    for (const Statement &S : T.Statements) {
      if (S.Op.Local.valid() && !P.Objects[S.Op.Local.Target].Fresh)
        Named.insert(T.Home);
      if (S.Op.Remote.valid())
        Needed.insert(P.Objects[S.Op.Remote.Target].Home);
    }
  return std::includes(Named.begin(), Named.end(), Needed.begin(), Needed.end());
}

} // namespace

Style writableStyle(const Program &P, Style S) {
  if (S[Aspect::Memory] == "pointer" && !pointersHaveNames(P))
    S.set(Aspect::Memory, "struct");
  return S;
}

Sources writeSources(const Program &P, const Style &Wanted, std::uint64_t Seed) {
  Style S = writableStyle(P, Wanted);
  return Writer(P, S, Seed).run();
}

} // namespace rdma::test
