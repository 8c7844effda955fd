// What the programs of this folder share: queue pairs that somebody has connected, where the words are that
// the other nodes offer, and one request a call. NAME.topology.json says which queue pair leads where, and
// which word is whose.
#pragma once

#include <cstdint>
#include <infiniband/verbs.h>

using word = std::uint64_t;

struct way {
  ibv_qp *qp;
  ibv_cq *cq;
  std::uint32_t lkey, rkey;
};

/// A thread's way to its own node, to the other thread's (two of them), and to one where nobody runs; and
/// addresses there.
struct peers {
  way self, other, again, home;
  word counter_back;                    // this thread's counter on its own node
  word counter, cell0, cell1, head;     // on the other thread's node
  word lock;                            // on the left node
  word dispenser, served, value, check; // at home
};

void put(const way &To, word Address, word &From, unsigned Flags = 0);
void get(const way &To, word &Into, word Address, unsigned Flags = 0);
void fetchAdd(const way &To, word &Into, word Address, word By);
void compareSwap(const way &To, word &Into, word Address, word Expected, word Desired);
/// Until the oldest signaled request has completed.
void complete(const way &To);

inline word load(const word &At) { return __atomic_load_n(&At, __ATOMIC_ACQUIRE); }
inline void store(word &At, word Value) { __atomic_store_n(&At, Value, __ATOMIC_RELEASE); }
inline void await(const word &At, word Value) {
  while (load(At) != Value)
    ;
}
