// Messages through sockets and pipes, told apart by their way and their turn.
//
// Whoever receives may have any message that was sent: where the program's sockets lead and how many bytes a
// call takes is not followed. A stream keeps the order of its messages, and sockets that are kept in an array
// by the number of who is at the other end lead there; so this decides nothing about order, but tells a pair
// that is open when each receive has the message of its turn from one that is open only if some receive has
// another.
#pragma once

#include "ir/Program.h"

#include <optional>
#include <string>

namespace rdma {

/// How extraction calls messages that go one way through one end of a connection: these words and the end.
inline constexpr const char *MessagesTo = "messages to ", *MessagesFrom = "messages from ";

/// Through a socket, a pipe, the connection manager: memory of a node where nothing runs, in the model and
/// for nobody else.
bool isMessage(const Program &P, ObjectId O);

/// The same statements, where the k-th message that a thread sends to another is received by that one's k-th
/// receive from it. Further objects stand for the streams. Nothing: more than two threads send and receive
/// whose sockets do not say where they lead, or no message has a turn.
std::optional<Program> inTurn(const Program &P);

} // namespace rdma
