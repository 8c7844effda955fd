// Mixed operations in a group whose members are killed: what the parent and the members say to each other.
#pragma once

#include "test/load/Link.h"

#include <array>

namespace rdma::load {

inline constexpr uint32_t MaxMembers = 16, LinksOfPair = 2;

enum class Say : uint32_t {
  // To a member.
  Connect, ///< its links to the member of that number; answered
  Go,      ///< post on them
  Gone,    ///< that member is dead; answered with Drained
  Finish,  ///< post no more; answered with Finished
  Due,     ///< so many messages were sent to you; answered with Finished when all are there
  Leave,   ///< nobody needs you any more
  // To the parent.
  Hello,
  Connected,
  Drained, ///< the errors have come, all of them; the links are reset
  Finished
};

struct Note {
  Say What = Say::Hello;
  uint32_t Member = 0;
  uint64_t Channel = 0;     ///< of the first link of the pair, at the one who hears this
  uint64_t PeerChannel = 0; ///< and at the other end
  std::array<Endpoint, MaxMembers * LinksOfPair> There{}; ///< or here: by member
  std::array<uint64_t, MaxMembers * LinksOfPair> Messages{};
  uint64_t Operations = 0; ///< that the member has completed
};

/// The life of a member; returns when it may leave.
void runMember(uint32_t Member, uint32_t Members, uint64_t Seed, int Parent);

} // namespace rdma::load
