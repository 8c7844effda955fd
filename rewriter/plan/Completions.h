// What becomes of completions: an edit must take none that the program waits for.
#pragma once

#include "ir/Program.h"

#include <string>

namespace rdma {

/// Of one thread, by places of the source: one that is inlined or unrolled several times counts once.
struct CompletionPlaces {
  unsigned Posted = 0;  ///< requests of the program
  unsigned Polled = 0;  ///< polls of the program
  unsigned Awaited = 0; ///< waits for requests of their own
};
CompletionPlaces completionPlaces(const Program &P, ThreadIndex T);

/// Does every thread of the edited program find the completions that it found before? It posts and polls at
/// as many places as it did; and each wait takes only what carries its own identifier, of which on every way
/// to it a request was posted. Otherwise what is wrong.
std::string takenFromProgram(const Program &Before, const Program &After);

} // namespace rdma
