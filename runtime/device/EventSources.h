// The objects that asynchronous events tell of: queue pairs, completion queues, shared receive queues.
//
// Peers know an object by a number that is never given again, so that an event of one that is gone finds
// nobody.
#pragma once

#include <cstdint>

namespace rdma::device::sources {

/// The number of a new object; never 0.
uint64_t enroll(void *Object);
/// The object is going away: waits until each of its events that was read is acknowledged
/// (ibv_get_async_event(3)).
void retire(uint64_t Number);

/// An event of the object is handed to the program. Null when the object is gone.
void *beginEvent(uint64_t Number);
/// The program acknowledges one.
void endEvent(const void *Object);

} // namespace rdma::device::sources
