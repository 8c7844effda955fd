// A queue pair, a request or a fence in the terms of a function. Private to the source library.
#pragma once

#include "rewriter/source/Carriers.h"
#include "rewriter/source/SourceFiles.h"

#include <optional>

namespace rdma::source {

/// An expression in the terms of one function, with the variables it needs there.
struct Named {
  std::string Text;
  clang::QualType Of;
  std::vector<const clang::Expr *>
      Parts; ///< what its text was made of; each must be visible where it is used
  std::vector<const clang::Expr *> Names; ///< the same at all levels: what they name must be accessible
  const clang::VarDecl *Root = nullptr;   ///< of what has no Parts: a path that the topology names
  Carriers Through = {};                  ///< the pointers of that path
  Place Since = {}; ///< where it was used; nothing it leads through may have ended since
};

/// An argument of the call at Chain[0], in terms of the function of Chain[Level]: parameters become what the
/// callers on the way handed in. Nothing: it has no name there, or what the name does would be done twice.
std::optional<Named> nameInCaller(SourceFiles &Files, const std::vector<Place> &Chain, unsigned Argument,
                                  std::size_t Level);

/// What the function of Chain[Level] hands over for a value of the function of Chain[0] that is a parameter
/// there, and of those on the way, and used for nothing else; null where it is not, or is more than a value
/// to write more into.
const clang::Expr *handedInCaller(SourceFiles &Files, const clang::Expr *Value,
                                  const std::vector<Place> &Chain, std::size_t Level);

/// A name as of nameInCaller, but in another member function of the object whose member function is called at
/// Chain[Level], for the call at Later, in the same function, of a member function of that object:
/// `conn_.qp`. Nothing where it is not made of the object's members alone.
std::optional<Named> nameInMember(SourceFiles &Files, const std::vector<Place> &Chain, unsigned Argument,
                                  std::size_t Level, const std::vector<Place> &Later, std::size_t LaterLevel);

/// The same in the function that is called both at Chain[Level] and at Later, where both calls hand over the
/// same variables for the parameters that it is made of: `handle->qp`, of which the caller may know no more
/// than a pointer.
std::optional<Named> nameInSameFunction(SourceFiles &Files, const std::vector<Place> &Chain,
                                        unsigned Argument, std::size_t Level, const std::vector<Place> &Later,
                                        std::size_t LaterLevel);

/// Does all that it leads through exist at the slot, as it did where it was used?
bool isStillThere(const EditedFile &F, const Slot &At, const Named &What);

/// Is all that it names declared, accessible and still there at the slot?
bool fits(const EditedFile &F, const Slot &At, const Named &What);

} // namespace rdma::source
