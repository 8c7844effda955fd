// The client of the operations, as rdma-tidy has it, run by two nodes: right, and waiting for nothing.
#include "rdma/objects/channel.h"
#include "test/objects/Group.h"

namespace rdma::objects::test {

namespace {

namespace awaited {
#include "test/objects/clients/operations.cpp"
}

namespace unawaited {
#include "test/objects/clients/unawaited.cpp"
}

using client = status(endpoint &, const remote &, word *, word &);

/// Each node has a word of its own and one for the other.
std::function<void(member &)> running(client *Client) {
  return [Client](member &M) {
    constexpr std::size_t Size = 2 * line_size;
    manager Here(M.Hosts, M.Me, M.settings());
    channel Memory("memory", Here);
    region Own = Memory.own("words", Size);
    const remote &Other = Memory.other((M.Me + 1) % Here.nodes(), "words", Size);
    Memory.join();
    Here.wait_for_ready(std::chrono::seconds(60));
    Here.attach_thread();
    word Seen;
    OK(Client(Here.here(), Other.word_at(line_size / sizeof(word)), Own.words(), Seen));
  };
}

add A("client", running(awaited::run_node));
add B("client-unawaited", running(unawaited::run_node));

} // namespace

} // namespace rdma::objects::test
