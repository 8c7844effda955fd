// Extraction from source text in memory.
#pragma once

#include "analyzer/clang/Extract.h"
#include "ir/Litmus.h"

#include <gtest/gtest.h>

#include <string>

namespace rdma::test {

/// What most snippets need: a connection, its memory, and a function that fills and posts a work request.
inline const std::string Prelude = R"(
#include <infiniband/verbs.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
struct conn { struct ibv_qp *qp; struct ibv_cq *cq; uint64_t remote; uint32_t rkey; };
struct data { uint64_t first, second, array[4]; };
static struct data mine;
static struct data theirs;
void connect_all(struct conn *c);
static void post(struct conn *c, enum ibv_wr_opcode opcode, unsigned flags, void *from, uint32_t size, uint64_t offset) {
  struct ibv_sge sge = {.addr = (uintptr_t)from, .length = size};
  struct ibv_send_wr wr, *bad;
  memset(&wr, 0, sizeof wr);
  wr.opcode = opcode;
  wr.send_flags = flags;
  wr.sg_list = &sge;
  wr.num_sge = 1;
  wr.wr.rdma.remote_addr = c->remote + offset;
  if (ibv_post_send(c->qp, &wr, &bad))
    exit(1);
}
static void poll_one(struct conn *c) {
  struct ibv_wc wc;
  int n;
  while ((n = ibv_poll_cq(c->cq, 1, &wc)) == 0)
    ;
  if (n < 0)
    exit(1);
}
)";

inline const std::string TwoNodes = R"({
  "nodes": { "left": { "entries": ["run"] }, "right": { "entries": [] } },
  "queue_pairs": { "run": { "c.qp": "right" } },
  "regions": { "run": { "c.remote": "right:theirs" } } })";

/// Source is C, behind the prelude; Topology may be empty.
inline Extraction extractC(const std::string &Source, const std::string &Topology = TwoNodes) {
  ExtractionOptions Options;
  Options.Files = {"snippet.c"};
  Options.HasFlags = true;
  Options.Overlay["snippet.c"] = Prelude + Source;
  if (!Topology.empty()) {
    Options.TopologyFile = "snippet.json";
    Options.Overlay["snippet.json"] = Topology;
  }
  return extract(Options);
}

/// The text of one thread, without its braces and indentation, and without what is lost: connect_all() is not
/// among the sources.
inline std::string threadText(const Extraction &E, const std::string &Name) {
  Program Known = E.Code;
  Known.ShownOpen.clear();
  for (Thread &T : Known.Threads)
    for (Statement &S : T.Statements)
      S.Lost = None;
  std::string All = writeLitmus(Known), Text;
  std::size_t At = All.find("{ // " + Name + "\n");
  if (At == std::string::npos)
    return "no thread " + Name;
  At = All.find('\n', At) + 1;
  std::size_t End = All.find("\n}", At);
  for (; At < End + 1; At = All.find('\n', At) + 1) {
    std::string Line = All.substr(At, All.find('\n', At) - At);
    Line = Line.substr(std::min(Line.find_first_not_of(' '), Line.size()));
    // Which queue pair it is says the program, not the text of these tests.
    if (Line.rfind("pair ", 0) == 0)
      continue;
    if (std::size_t Via = Line.find(" via "); Via != std::string::npos)
      Line.erase(Via, Line.find_first_of(" ;", Via + 5) - Via);
    Text += Line + "\n";
  }
  return Text;
}

inline std::string run(const std::string &Body, const std::string &Topology = TwoNodes) {
  return threadText(extractC("void run(void) { struct conn c; connect_all(&c); " + Body + " }", Topology),
                    "run");
}

} // namespace rdma::test
