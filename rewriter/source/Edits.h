// The edits of one file, and its text with them. Private to the source library.
//
// With Dry, an edit is only tried: nothing of the file changes. False: it cannot be, or stands there already.
#pragma once

#include "rewriter/source/SourceFiles.h"

#include <optional>
#include <string>

namespace rdma::source {

/// A statement before or behind the one of the slot.
bool insert(EditedFile &F, const Slot &At, const std::string &Text, bool After, bool Dry);

/// `return post(...);` keeps what it returns while the text runs: `int posted = post(...);`.
bool addBehindReturn(EditedFile &F, const Slot &At, const std::string &Text, bool Dry);

/// A new variable for the queue pair that a call of the statement is given, and the call given that: `ibv_qp
/// *pair = link_->qp;` in front of `post(pair)`. Its name; nothing where it can have none.
std::optional<std::string> addKept(EditedFile &F, const Slot &At, const clang::Expr &Given, bool Dry);

/// `IBV_SEND_SIGNALED` becomes `IBV_SEND_SIGNALED | IBV_SEND_FENCE`, and 0 the flag alone.
bool addToFlags(EditedFile &F, const clang::Expr *Flags, const std::string &Flag, bool Dry);

/// The same where the request is a literal, also one that sets no flags.
bool addFlagInLiteral(EditedFile &F, const clang::CompoundLiteralExpr &Request, const std::string &Flag,
                      bool Dry);

/// With all edits, and the runtime's header where they call it.
std::string edited(const EditedFile &F, bool CallsHeader);

} // namespace rdma::source
