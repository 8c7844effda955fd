// --torn: the parts of one WRITE arrive in any order, and else nothing changes.
#include "Nodes.h"

#include <gtest/gtest.h>

#include <algorithm>

using namespace rdma::test;

namespace {

constexpr unsigned Seeds = 30;
constexpr Schedule InOrder = {.Weak = true}, Words = {.Weak = true, .Torn = "words"},
                   Lines = {.Weak = true, .Torn = "lines"},
                   Ordered = {.Weak = true, .Ordered = true, .Torn = "words"};

uint64_t look(const uint64_t &At) { return __atomic_load_n(&At, __ATOMIC_ACQUIRE); }

/// Four cache lines, and the same of another process's, or this one's.
struct alignas(64) Record {
  uint64_t Words[32] = {};
};
Record Here, There;

/// A queue pair to oneself, and one WRITE of so many words.
struct Writer {
  Device D;
  ibv_qp *Qp = loopback(D);
  ibv_mr *Mr = D.offer(&Here, sizeof Here);
  Address To = addressOf(D, Qp, D.offer(&There, sizeof There));

  explicit Writer(uint32_t Count, unsigned Flags = 0, uint64_t From = 0) {
    std::fill_n(Here.Words, 32, 7);
    CHECK(Work(IBV_WR_RDMA_WRITE, Mr, &Here, 8 * Count, To, 8 * From, Flags | IBV_SEND_SIGNALED).post(Qp) ==
          0);
  }
  /// Until this word is there.
  void watch(unsigned Word) {
    while (!look(There.Words[Word])) {
      ibv_wc Wc;
      CHECK(ibv_poll_cq(D.Cq, 1, &Wc) >= 0);
    }
  }
};

/// The reader that waits for the last word, and takes the rest to be there.
bool isCanaryFirst(uint32_t Count, unsigned Flags) {
  Writer W(Count, Flags);
  W.watch(Count - 1);
  return std::any_of(There.Words, There.Words + Count, [](const uint64_t &Word) { return !look(Word); });
}

TEST(Torn, LastWordIsBeforeTheFirst) {
  for (unsigned Flags : {0u, static_cast<unsigned>(IBV_SEND_INLINE)}) {
    static unsigned Way;
    Way = Flags;
    EXPECT_TRUE(isSeen(Words, [] { return isCanaryFirst(8, Way); }));
    EXPECT_TRUE(isSeen(Ordered, [] { return isCanaryFirst(8, Way); }));
    EXPECT_TRUE(isSeen(Words, [] { return isCanaryFirst(2, Way); }));
    EXPECT_EQ(count(InOrder, Seeds, [] { return isCanaryFirst(8, Way); }), 0u);
  }
}

TEST(Torn, LinesStayWhole) {
  EXPECT_EQ(count(Lines, Seeds, [] { return isCanaryFirst(8, 0); }), 0u);
  EXPECT_TRUE(isSeen(Lines, [] { return isCanaryFirst(32, 0); }));
}

/// A word is never half there, wherever the WRITE begins.
TEST(Torn, ArrivesWhole) {
  EXPECT_EQ(count(Words, Seeds,
                  [] {
                    Writer W(16, 0, 3);
                    for (bool IsComplete = false; !IsComplete;) {
                      ibv_wc Wc;
                      CHECK(ibv_poll_cq(W.D.Cq, 1, &Wc) >= 0);
                      IsComplete = true;
                      for (unsigned I = 0; I < 32; ++I) {
                        uint64_t Word = look(There.Words[I]);
                        bool IsPart = I >= 3 && I < 3 + 16;
                        if (Word && (Word != 7 || !IsPart))
                          return true;
                        IsComplete &= !IsPart || Word;
                      }
                    }
                    return false;
                  }),
            0u);
}

/// What is flushed is there, and WRITEs of one queue pair arrive one after the other.
TEST(Torn, WritesStayInOrder) {
  EXPECT_EQ(count(Words, Seeds,
                  [] {
                    Writer W(8);
                    CHECK(Work(IBV_WR_RDMA_WRITE, W.Mr, &Here, 8, W.To, 8 * 31).post(W.Qp) == 0);
                    W.watch(31);
                    return !std::all_of(There.Words, There.Words + 8, look);
                  }),
            0u);
  EXPECT_EQ(count(Words, Seeds,
                  [] {
                    Writer W(32);
                    CHECK(awaitCompletion(W.D.Cq).status == IBV_WC_SUCCESS);
                    rdma_flush(W.Qp);
                    return !std::all_of(There.Words, There.Words + 32, look);
                  }),
            0u);
}

/// A message behind the WRITE tells the receiver that all parts are there, and so does its immediate data.
TEST(Torn, ImmediateDataComesLast) {
  EXPECT_EQ(count(Words, Seeds,
                  [] {
                    Device D;
                    ibv_qp *Qp = loopback(D);
                    ibv_mr *Mr = D.offer(&Here, sizeof Here);
                    Address To = addressOf(D, Qp, D.offer(&There, sizeof There));
                    std::fill_n(Here.Words, 32, 7);
                    ibv_recv_wr Wr = {}, *Bad;
                    Wr.wr_id = 5;
                    CHECK(ibv_post_recv(Qp, &Wr, &Bad) == 0);
                    CHECK(Work(IBV_WR_RDMA_WRITE_WITH_IMM, Mr, &Here, 256, To, 0, 0).post(Qp) == 0);
                    ibv_wc Wc = awaitCompletion(D.Cq);
                    CHECK(Wc.status == IBV_WC_SUCCESS && Wc.wr_id == 5);
                    return !std::all_of(There.Words, There.Words + 32, look);
                  }),
            0u);
}

} // namespace
