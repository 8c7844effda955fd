/* Who runs where, said in the source: what a topology.json says, in front of the functions that it is about.
 *
 *   RDMA_ENTRY("client")                         the function runs on nodes of this name
 *   RDMA_NODE("client", "*")                     how many of them there are: a number as text, or "*" for any
 *   RDMA_PEER("server.qp", "server")             the node at the other end of a queue pair
 *   RDMA_COMPLETIONS("server.qp", "server.cq", 0)  where its completions arrive; 1: each request has one
 *   RDMA_RECEIVES("server.qp", "server.received")  where its receives complete, if that is another queue
 *   RDMA_REGION("server.far", "server:page")     the memory that a remote address leads to
 *   int run_client(void) { ... }
 *
 *   RDMA_SETUP void open_link(struct link *l);   defined elsewhere; neither posts nor polls nor orders
 * anything
 *
 * The last four speak of the entry they stand at, in the spelling of its own variables. A topology file
 * stands instead of all of them. To compilers, they are nothing.
 */
#ifndef RDMA_ANNOTATIONS_H
#define RDMA_ANNOTATIONS_H

#ifdef __clang__
#define RDMA_ANNOTATION_(...) __attribute__((annotate("rdma-tidy", __VA_ARGS__)))
#define RDMA_ENTRY(NODE) RDMA_ANNOTATION_("entry", NODE) __attribute__((used))
#else
#define RDMA_ANNOTATION_(...)
#ifdef __GNUC__
#define RDMA_ENTRY(NODE) __attribute__((used))
#else
#define RDMA_ENTRY(NODE)
#endif
#endif
#define RDMA_NODE(NODE, COUNT) RDMA_ANNOTATION_("node", NODE, COUNT)
#define RDMA_PEER(PATH, NODE) RDMA_ANNOTATION_("peer", PATH, NODE)
#define RDMA_COMPLETIONS(PATH, CQ, SIGNALS_ALL)                                                              \
  RDMA_ANNOTATION_("completions", PATH, CQ, (SIGNALS_ALL) ? "all" : "some")
#define RDMA_RECEIVES(PATH, CQ) RDMA_ANNOTATION_("receives", PATH, CQ)
#define RDMA_REGION(PATH, MEMORY) RDMA_ANNOTATION_("region", PATH, MEMORY)
#define RDMA_SETUP RDMA_ANNOTATION_("setup")

#endif
