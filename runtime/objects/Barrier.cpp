#include "rdma/objects/barrier.h"

namespace rdma::objects {

namespace {
constexpr std::size_t Stride = line_size / sizeof(word);
}

barrier::barrier(std::string Name, manager &Manager, std::span<const thread_id> Participants, scope Scope)
    : channel(std::move(Name), Manager), Who(Manager, Participants),
      Covered(Scope == scope::all_nodes ? Manager.all() : Who.nodes()) {
  agree("digest of the participants", Who.digest());
  agree("scope", static_cast<std::uint64_t>(Scope));
  Counters = own("counters", Who.size() * line_size).words();
  for (node_id N : Manager.all())
    Copies.push_back(&other(N, "counters", Who.size() * line_size));
  join();
}

status barrier::wait() {
  if (Who.mine() == roster::none)
    return status::not_participant;
  if (status S = owner().here().fence(Covered); S != status::ok)
    return S;
  return wait_nofence();
}

status barrier::wait_nofence() {
  std::size_t Mine = Who.mine();
  if (Mine == roster::none)
    return status::not_participant;
  endpoint &Here = owner().here();
  word Round = load(Counters[Mine * Stride]) + 1;
  store(Counters[Mine * Stride], Round);
  // Inline, so that the next round cannot change what is sent; never to this node, where it could bring an
  // old count back.
  for (node_id N : Who.nodes().without(me()))
    if (status S = Here.put_word(Copies[N]->word_at(Mine * Stride), Round); S != status::ok)
      return S;
  waiting Wait(Here);
  for (std::size_t I = 0; I < Who.size(); ++I)
    while (load(Counters[I * Stride]) < Round) // a fast one may already be a round ahead
      if (status S = Wait.step(); S != status::ok && load(Counters[I * Stride]) < Round)
        return S;
  return status::ok;
}

} // namespace rdma::objects
