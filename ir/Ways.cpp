#include "ir/Ways.h"

#include <algorithm>

namespace rdma {

bool postsElsewhere(const Thread &T, const Statement &S) {
  return isRequest(S.Op.Kind) && S.Source != None &&
         std::ranges::any_of(T.Statements, [&](const Statement &O) {
           return O.Source == S.Source && isRequest(O.Op.Kind) && O.Op.Pair != S.Op.Pair;
         });
}

bool asksAtTimes(const Thread &T, const Statement &S) {
  return isRequest(S.Op.Kind) && S.Source != None &&
         std::ranges::any_of(T.Statements, [&](const Statement &O) {
           return O.Source == S.Source && O.Op.Kind == S.Op.Kind && O.Op.Pair == S.Op.Pair &&
                  O.Op.Local == S.Op.Local && O.Op.Unsignaled != S.Op.Unsignaled;
         });
}

} // namespace rdma
