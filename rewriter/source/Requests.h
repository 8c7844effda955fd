// Requests that are posted as a list, and their flags. Private to the source library.
#pragma once

#include "rewriter/source/Syntax.h"

namespace rdma::source {

/// One of them: a variable, or what is `[2]` or `.first` or `->first` of it.
struct ListedRequest {
  const clang::Expr *Of; ///< the variable, or the member of `this`
  std::string Element;
  bool IsAddress = false; ///< a pointer, which leads to the request
};

/// The requests of a list in the order in which they are posted, as far as the function says by `a.next = &b`
/// or in an initializer: the one that Request is the address of, and those that it leads to. Empty when
/// one has several successors, or one that has no name. Those of an array are taken to be linked as they
/// stand, Count of them when it has so many, and so are those of the only array that the function declares,
/// where what is posted leads nowhere else; the edited program shows whether they are.
std::vector<ListedRequest> requestsFrom(const clang::Expr *Request, const clang::FunctionDecl &In,
                                        std::size_t Count);

/// Where a request stands among those that one call posts, and how many these are.
std::pair<std::size_t, std::size_t> placeInList(const Thread &T, StatementId Request);

/// What the block of the slot sets the flags of a request to, by `r.send_flags = ...;` above it, or begins
/// them with where it declares the request, where
/// nothing in between may post the request, write it as a whole or jump past that. Request: `r.`, `p->`.
const clang::Expr *flagsSetAbove(const Syntax &S, const Slot &At, const std::string &Request,
                                 const std::vector<const clang::Expr *> &Parts);

/// The request as it is written where it is handed over, `&(struct ibv_send_wr){.num_sge = 1}`; null for any
/// other.
const clang::CompoundLiteralExpr *literalOf(const clang::Expr *Request);

/// What the initializer sets the flags to. Else, where all its members are named, Behind is the last of them.
const clang::Expr *flagsOf(const clang::Expr *Request, const clang::Expr *&Behind);

/// Does the call at the place post a list, of which a part may be under way where it fails?
bool isPostedInParts(const Thread &T, const Place &Post);

/// What the body of an `if` does first, whose condition holds the offset, where it ends by a jump; else null.
const clang::Stmt *leavesOnTest(const Syntax &S, const clang::Stmt *If, unsigned Offset);

} // namespace rdma::source
