// Messages through sockets and pipes, told apart by their turn.
//
// The extraction puts all messages into one place: whoever receives may have any that was sent. A stream
// keeps their order, but where the program's sockets lead and how many bytes a call takes is not followed, so
// this decides nothing about order: it tells a pair that is open when each receive has the message of its
// turn from one that is open only if some receive has another.
#pragma once

#include "ir/Program.h"

#include <optional>

namespace rdma {

/// Through a socket, a pipe, the connection manager: memory of no node, in the model and for nobody else.
bool isMessage(const Program &P, ObjectId O);

/// The same statements, where the k-th message that a thread sends is received by the other's k-th receive.
/// Nothing: not two threads of two nodes send and receive, or no message has a turn.
std::optional<Program> inTurn(const Program &P);

} // namespace rdma
