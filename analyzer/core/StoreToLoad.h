// A store and a later load of its thread which no critical cycle leads through, although gb leaves them open.
//
// A load of what the store wrote finds that, or what others wrote over it. So a write that comes behind the
// load comes behind the store, too, and a cycle by way of both is one without the load.
//
// `x := v`, and behind it `assume(x != v)` on every way to the load, with no store of the thread to x in
// between: the assume has found what another one wrote over v. So the store was visible before that, and the
// load comes behind.
#pragma once

#include "analyzer/core/Analysis.h"

#include <map>

namespace rdma {

/// All of these bytes, a word at most, whenever it is come by: larger ones may be written by a call that
/// stops before their end.
bool isExact(const Program &P, const Access &Of);
/// Does the assume not let this number pass, in whatever width, and with or without a sign, it compares?
bool rejects(const Operation &Assume, std::int64_t Number);

class StoreToLoad {
public:
  explicit StoreToLoad(const Analysis &A) : A(A) {}

  /// Is the earlier event of the pair a store, the later one a load, and are they such a pair?
  bool isHarmless(ThreadIndex T, const OpenPair &Pair);

private:
  bool comesBehindOverwritten(const EventRef &Store, const EventRef &Load);
  std::vector<bool> notOverwritten(const Thread &T, StatementId Store) const;

  const Analysis &A;
  /// Per store of a thread: where a way leads on which it need not have been overwritten.
  std::map<std::pair<ThreadIndex, StatementId>, std::vector<bool>> Open;
};

} // namespace rdma
