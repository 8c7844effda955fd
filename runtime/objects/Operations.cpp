// The operations of an endpoint that are waited for at once.
#include "rdma/objects/manager.h"

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

} // namespace rdma::objects
