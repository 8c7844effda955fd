#include "rdma/objects/sc.h"

#include <utility>

namespace rdma::objects {

sc_word::sc_word(std::string Name, manager &Manager, node_id Host)
    : channel(std::move(Name), Manager), Lock(*this, "lock", Host) {
  agree("host of the word", Host);
  if (me() == Host)
    own("x", line_size);
  At = &other(Host, "x", line_size);
  join();
}

void sc_word::check(status S) const {
  if (S != status::ok)
    throw failure(S);
}

/// Posts under the lock, gives the lock back, and only then waits: the release is held behind the operation
/// by the NIC.
template <class Post> word sc_word::under(Post &&Operation) {
  endpoint &Here = owner().here();
  word *Result = Here.slot(endpoint::first_free_slot); // the lock's own results go to another
  ack Done;
  check(Lock.acquire());
  status Posted = Operation(Here, Result, Done);
  check(Lock.release());
  check(Posted);
  check(Done.wait());
  return load(*Result);
}

word sc_word::read() {
  return under(
      [&](endpoint &Here, word *Result, ack &Done) { return Here.get(Result, *At, sizeof(word), Done); });
}

void sc_word::write(word Value) {
  check(Lock.acquire());
  status Posted = owner().here().put_word(*At, Value);
  check(Lock.release());
  check(Posted);
}

bool sc_word::compare_exchange(word &Expected, word Desired) {
  word Seen = under([&](endpoint &Here, word *Result, ack &Done) {
    return Here.compare_exchange(Result, *At, Expected, Desired, Done);
  });
  return std::exchange(Expected, Seen) == Seen;
}

word sc_word::fetch_add(word By) {
  return under(
      [&](endpoint &Here, word *Result, ack &Done) { return Here.fetch_add(Result, *At, By, Done); });
}

} // namespace rdma::objects
