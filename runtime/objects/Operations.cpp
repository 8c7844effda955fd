// The operations of an endpoint that are waited for at once, and the fence, which is one.
#include "Membership.h"

namespace rdma::objects {

status endpoint::load(word &Value, const remote &From) {
  ack Done;
  if (status S = get(slot(0), From, sizeof(word), Done); S != status::ok)
    return S;
  status S = wait(Done);
  Value = objects::load(*slot(0));
  return S;
}

status endpoint::fetch_add(word &Old, const remote &To, word By) {
  ack Done;
  if (status S = fetch_add(slot(0), To, By, Done); S != status::ok)
    return S;
  status S = wait(Done);
  Old = objects::load(*slot(0));
  return S;
}

status endpoint::compare_exchange(word &Expected, const remote &To, word Desired, bool &Done) {
  ack Answered;
  if (status S = compare_exchange(slot(0), To, Expected, Desired, Answered); S != status::ok)
    return S;
  status S = wait(Answered);
  word Old = objects::load(*slot(0));
  Done = S == status::ok && Old == Expected;
  Expected = Old;
  return S;
}

status endpoint::fence(node_set Nodes) {
  ack Arrived;
  bool Any = false;
  status Result = status::ok;
  for (node_id N : Nodes &Manager.all())
    if (Queues[N].Posted != Queues[N].Fenced || Queues[N].broken()) {
      Any = true;
      if (status S = get(&Landing[N], Manager.Members->landmark(N), sizeof(word), Arrived); S != status::ok)
        Result = S;
      Queues[N].Fenced = Queues[N].Posted;
    }
  if (!Any)
    std::atomic_thread_fence(std::memory_order_seq_cst); // a store before stays before a load behind
  if (status S = wait(Arrived); S != status::ok)
    Result = S;
  return Result;
}

} // namespace rdma::objects
