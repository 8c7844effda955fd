// rdma_wait, rdma_flush and their like: no completion of the program is lost, none is seen twice, in
// their order.
#include "Nodes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <thread>
#include <vector>

using namespace rdma::test;

int waitInOtherSource(ibv_qp *Qp);
int pollInOtherSource(ibv_cq *Cq, ibv_wc *Wc);
int pollInForeignSource(ibv_cq *Cq, int Count, ibv_wc *Wc);
int endInForeignSource(ibv_qp *Qp);
extern "C" int flush_from_c(ibv_qp *Qp);

namespace {

struct Loop {
  Device D;
  ibv_qp *Qp;
  static inline uint64_t There, Here;
  ibv_mr *Mr = D.offer(&Here, 8), *Target = D.offer(&There, 8);
  explicit Loop(uint32_t Depth = 64) : Qp(loopback(D, Depth)) {}
  void write(uint64_t Id, unsigned Flags = IBV_SEND_SIGNALED) {
    Work W(IBV_WR_RDMA_WRITE, Mr, &Here, 8, addressOf(D, Qp, Target), 0, Flags);
    W.Wr.wr_id = Id;
    CHECK(W.post(Qp) == 0);
  }
  void expect(uint64_t Id) {
    ibv_wc Wc = awaitCompletion(D.Cq);
    CHECK(Wc.wr_id == Id && Wc.status == IBV_WC_SUCCESS);
  }
  void expectNothing() {
    ibv_wc Wc;
    for (int I = 0; I < 100; ++I)
      CHECK(ibv_poll_cq(D.Cq, 1, &Wc) == 0);
  }
};

class Order : public testing::TestWithParam<bool> {
protected:
  void expectGood(const std::function<void()> &Body) {
    for (unsigned Seed = 1; Seed <= (GetParam() ? 15 : 1); ++Seed)
      ASSERT_EQ(runRole({GetParam(), Seed}, Body), 0) << "seed " << Seed;
  }
};

TEST_P(Order, CompletionsOfTheProgramAreKeptInOrder) {
  expectGood([] {
    Loop L;
    for (uint64_t Id = 1; Id <= 5; ++Id)
      L.write(Id);
    CHECK(rdma_wait(L.Qp) == 0);
    L.write(6);
    CHECK(rdma_flush(L.Qp) == 0);
    L.write(7);
    for (uint64_t Id = 1; Id <= 7; ++Id)
      L.expect(Id);
    L.expectNothing();
    CHECK(rdma_order_state.busy == 0);
  });
}

TEST_P(Order, SeveralSourcesShareOneState) {
  expectGood([] {
    Loop L;
    L.write(1);
    CHECK(waitInOtherSource(L.Qp) == 0);
    L.write(2);
    CHECK(flush_from_c(L.Qp) == 0);
    ibv_wc Wc;
    CHECK(pollInOtherSource(L.D.Cq, &Wc) == 1 && Wc.wr_id == 1);
    L.expect(2);
    CHECK(pollInOtherSource(L.D.Cq, &Wc) == 0);
  });
}

/// It knows nothing of the header, and finds every completion of the program all the same, and no other.
TEST_P(Order, CodeWithoutTheHeaderPollsToo) {
  expectGood([] {
    Loop L;
    for (uint64_t Id = 1; Id <= 3; ++Id)
      L.write(Id);
    CHECK(rdma_wait(L.Qp) == 0);
    L.write(4);
    CHECK(rdma_flush(L.Qp) == 0);
    ibv_wc Wc[8];
    int Found = pollInForeignSource(L.D.Cq, 8, Wc);
    CHECK(Found == 4 && Wc[0].wr_id == 1 && Wc[1].wr_id == 2 && Wc[2].wr_id == 3 && Wc[3].wr_id == 4);
    CHECK(pollInForeignSource(L.D.Cq, 8, Wc) == 0);
  });
}

TEST_P(Order, AThreadWithoutTheHeaderPollsMeanwhile) {
  expectGood([] {
    Loop L;
    constexpr uint64_t Count = 100;
    std::atomic<uint64_t> Polled{0};
    std::thread Poller([&] {
      ibv_wc Wc;
      for (uint64_t Next = 1; Next <= Count; Polled = Next++) {
        while (pollInForeignSource(L.D.Cq, 1, &Wc) == 0)
          std::this_thread::yield();
        CHECK(Wc.wr_id == Next && Wc.status == IBV_WC_SUCCESS);
      }
    });
    for (uint64_t Id = 1; Id <= Count; ++Id) {
      while (Id - Polled > 30)
        std::this_thread::yield();
      L.write(Id);
      CHECK((Id % 3 ? 0 : rdma_wait(L.Qp)) == 0);
    }
    Poller.join();
  });
}

TEST_P(Order, FlushBringsUnsignaledWritesHome) {
  expectGood([] {
    Loop L;
    for (uint64_t I = 1; I <= 10; ++I) {
      Loop::Here = I;
      L.write(0, IBV_SEND_INLINE);
    }
    CHECK(rdma_flush(L.Qp) == 0 && __atomic_load_n(&Loop::There, __ATOMIC_ACQUIRE) == 10);
    L.expectNothing();
  });
}

TEST_P(Order, NothingWrittenNothingToFlush) {
  expectGood([] {
    Loop L;
    ibv_qp *Fresh = L.D.queuePair(); // not even connected
    CHECK(rdma_flush(Fresh) == 0);
  });
}

/// What was written on a queue pair that other code ended is not read back on the next one at its address, by
/// a key that is no more.
TEST_P(Order, NothingWrittenOnAnotherQueuePairAtTheAddress) {
  expectGood([] {
    Loop L;
    L.write(1);
    CHECK(rdma_flush(L.Qp) == 0);
    L.expect(1);
    ibv_qp *const Gone = L.Qp;
    CHECK(endInForeignSource(L.Qp) == 0 && ibv_dereg_mr(L.Target) == 0);
    std::vector<ibv_qp *> Others;
    while (Others.size() < 64 && (Others.empty() || Others.back() != Gone))
      Others.push_back(loopback(L.D));
    CHECK(Others.back() == Gone && rdma_flush(Gone) == 0);
    L.Target = L.D.offer(&Loop::There, 8);
    L.Qp = Gone;
    L.write(2);
    CHECK(rdma_flush(Gone) == 0);
    L.expect(2);
  });
}

/// Queue pairs that are written on in turn, one place each.
struct Several : Loop {
  static constexpr unsigned Count = 11; ///< more than are under way at a time
  static inline uint64_t From[Count], To[Count];
  ibv_qp *Qps[Count];
  ibv_mr *Source = D.offer(From, sizeof From), *Sink = D.offer(To, sizeof To);
  explicit Several(uint32_t Depth = 64) {
    for (ibv_qp *&One : Qps)
      One = loopback(D, Depth);
  }
  void writeEach(uint64_t Value, unsigned Flags) {
    for (unsigned I = 0; I < Count; ++I) {
      From[I] = Value;
      Work W(IBV_WR_RDMA_WRITE, Source, &From[I], 8, addressOf(D, Qps[I], Sink), I * 8, Flags);
      W.Wr.wr_id = Value;
      CHECK(W.post(Qps[I]) == 0);
    }
  }
  bool haveArrived(uint64_t Value) const {
    return std::all_of(To, To + Count,
                       [&](uint64_t &At) { return __atomic_load_n(&At, __ATOMIC_ACQUIRE) == Value; });
  }
};

TEST_P(Order, SeveralQueuePairsAreWaitedForAtOnce) {
  expectGood([] {
    Several L;
    auto &Q = L.Qps;
    for (uint64_t Value = 1; Value <= 3; ++Value) {
      L.writeEach(Value, Value % 2 ? 0 : IBV_SEND_SIGNALED);
      CHECK(rdma_wait_all(11, Q[0], Q[1], Q[2], Q[3], Q[4], Q[5], Q[6], Q[7], Q[8], Q[9], Q[10]) == 0);
    }
    CHECK(rdma_flush_all(11, Q[0], Q[1], Q[2], Q[3], Q[4], Q[5], Q[6], Q[7], Q[8], Q[9], Q[10]) == 0);
    CHECK(L.haveArrived(3));
    for (unsigned I = 0; I < L.Count; ++I)
      L.expect(2);
    L.expectNothing();
    CHECK(rdma_wait_all(0) == 0 && rdma_wait_all(2, Q[0], Q[0]) == 0 && rdma_flush_all(1, L.Qp) == 0);
    CHECK(rdma_order_state.busy == 0);
  });
}

/// Sixty-four requests are waited for at a time: no call holds some of these places and waits for more.
TEST_P(Order, ThreadsThatWaitForSeveralQueuePairs) {
  expectGood([] {
    Several L;
    auto &Q = L.Qps;
    std::vector<std::thread> All;
    for (unsigned T = 0; T < 12; ++T)
      All.emplace_back([&] {
        for (unsigned I = 0; I < 10; ++I)
          CHECK(rdma_wait_all(8, Q[0], Q[1], Q[2], Q[3], Q[4], Q[5], Q[6], Q[7]) == 0);
      });
    for (std::thread &T : All)
      T.join();
    CHECK(rdma_order_state.busy == 0);
  });
}

/// The send queue is full of requests that the program has not polled yet.
TEST_P(Order, FullSendQueueIsWaitedFor) {
  expectGood([] {
    Loop L(4);
    for (uint64_t Id = 1; Id <= 4; ++Id)
      L.write(Id);
    CHECK(rdma_wait(L.Qp) == 0);
    for (uint64_t Id = 1; Id <= 4; ++Id)
      L.expect(Id);
    L.expectNothing();
  });
}

TEST_P(Order, ObjectsCanBeFreedAfterwards) {
  expectGood([] {
    Loop L;
    L.write(1);
    CHECK(rdma_flush(L.Qp) == 0);
    CHECK(ibv_destroy_qp(L.Qp) == 0 && ibv_dereg_mr(L.Mr) == 0 && ibv_dereg_mr(L.Target) == 0);
    CHECK(ibv_destroy_cq(L.D.Cq) == 0 && ibv_dealloc_pd(L.D.Domain) == 0);
    CHECK(rdma_order_state.busy == 0 && !rdma_order_state.kept && !rdma_order_scratches);
  });
}

/// Notes the identifier of what is posted last, whoever posts it.
struct Noting {
  static inline uint64_t Last;
  static inline int (*Posts)(ibv_qp *, ibv_send_wr *, ibv_send_wr **);
  static int post(ibv_qp *Qp, ibv_send_wr *Wr, ibv_send_wr **Bad) {
    Last = Wr->wr_id;
    return Posts(Qp, Wr, Bad);
  }
  explicit Noting(ibv_context *Of) {
    Posts = Of->ops.post_send;
    Of->ops.post_send = post;
  }
};

/// The program's requests never set their identifiers, and have by accident those of waits before them.
TEST_P(Order, AnIdentifierFoundByAccident) {
  expectGood([] {
    Loop L;
    Noting N(L.Qp->context);
    CHECK(rdma_wait(L.Qp) == 0);
    const uint64_t OfWait = N.Last;
    L.write(OfWait);
    L.write(1);
    CHECK(rdma_wait(L.Qp) == 0);
    const uint64_t OfNext = N.Last;
    L.write(OfNext);
    CHECK(OfWait != 1 && OfNext != 1);
    L.expect(OfWait);
    L.expect(1);
    L.expect(OfNext);
    L.expectNothing();
  });
}

TEST_P(Order, WhatIsNotConnectedHasNothingUnderWay) {
  expectGood([] {
    Loop L;
    ibv_qp *Fresh = L.D.queuePair();
    CHECK(rdma_wait(Fresh) == 0 && rdma_wait_all_but(Fresh, 3) == 0 && rdma_flush(Fresh) == 0);
    CHECK(rdma_wait_all(2, Fresh, L.Qp) == 0 && rdma_order_state.busy == 0);
    L.write(1);
    L.expect(1);
    L.expectNothing();
  });
}

/// One thread waits while another polls the same queue: each completion of the program is polled once.
TEST_P(Order, ThreadsThatWaitAndPoll) {
  expectGood([] {
    Loop L;
    constexpr uint64_t Count = 300;
    std::atomic<uint64_t> Polled{0};
    std::thread Poller([&] {
      for (uint64_t Next = 1; Next <= Count; ++Next) {
        L.expect(Next);
        Polled = Next;
      }
    });
    for (uint64_t Id = 1; Id <= Count; ++Id) {
      while (Id - Polled > 30)
        std::this_thread::yield();
      L.write(Id);
      CHECK((Id % 3 ? 0 : rdma_wait(L.Qp)) == 0);
    }
    Poller.join();
    L.expectNothing();
  });
}

/// Slots that are filled again, each only when what was sent from it is complete.
struct Ring : Loop {
  static constexpr uint64_t Slots = 4, Count = 60;
  static inline uint64_t Filled[Slots], Arrived[Count];
  ibv_mr *From = D.offer(Filled, sizeof Filled), *To = D.offer(Arrived, sizeof Arrived);
  using Loop::Loop;
  void send(uint64_t I, unsigned Flags = IBV_SEND_SIGNALED) {
    Filled[I % Slots] = I + 1;
    Work W(IBV_WR_RDMA_WRITE, From, &Filled[I % Slots], 8, addressOf(D, Qp, To), I * 8, Flags);
    W.Wr.wr_id = I;
    CHECK(W.post(Qp) == 0);
  }
  void expectAll() {
    CHECK(rdma_flush(Qp) == 0);
    for (uint64_t I = 0; I < Count; ++I)
      CHECK(__atomic_load_n(&Arrived[I], __ATOMIC_RELAXED) == I + 1);
    expectNothing();
    CHECK(rdma_order_state.busy == 0);
  }
};

TEST_P(Order, AllButTheLastAreWaitedFor) {
  expectGood([] {
    Ring R;
    for (uint64_t I = 0; I < Ring::Count; ++I) {
      CHECK(rdma_wait_all_but(R.Qp, Ring::Slots - 1) == 0);
      R.send(I);
    }
    for (uint64_t I = 0; I < Ring::Count; ++I)
      R.expect(I);
    R.expectAll();
  });
}

/// Without room for what the calls post beside: the program's own requests find theirs all the same.
TEST_P(Order, AllButTheLastInAFullSendQueue) {
  expectGood([] {
    Ring R(Ring::Slots);
    for (uint64_t I = 0; I < Ring::Count; ++I) {
      CHECK(rdma_wait_all_but(R.Qp, Ring::Slots - 1) == 0);
      R.send(I, I % 3 == 0 ? IBV_SEND_SIGNALED : 0);
    }
    for (uint64_t I = 0; I < Ring::Count; I += 3)
      R.expect(I);
    R.expectAll();
  });
}

/// Every count leaves as many slots as it says, also where calls of several counts take turns.
TEST_P(Order, AllButAnyNumber) {
  expectGood([] {
    for (int Left : {0, 1, 2, 3}) {
      Ring R;
      for (uint64_t I = 0; I < Ring::Count; ++I) {
        CHECK(rdma_wait_all_but(R.Qp, I % 2 ? Left : Ring::Slots - 1) == 0);
        R.send(I, 0);
      }
      R.expectAll();
    }
  });
}

/// Another thread polls, which knows nothing of the header: it finds the program's completions and no other.
TEST_P(Order, AllButTheLastWhileAnotherThreadPolls) {
  expectGood([] {
    Ring R;
    std::thread Poller([&] {
      ibv_wc Wc;
      for (uint64_t Next = 0; Next < Ring::Count; ++Next) {
        while (pollInForeignSource(R.D.Cq, 1, &Wc) == 0)
          std::this_thread::yield();
        CHECK(Wc.wr_id == Next && Wc.status == IBV_WC_SUCCESS);
      }
    });
    for (uint64_t I = 0; I < Ring::Count; ++I) {
      CHECK(rdma_wait_all_but(R.Qp, Ring::Slots - 1) == 0);
      R.send(I);
    }
    Poller.join();
    R.expectAll();
  });
}

/// What is out when a queue pair goes away is not waited for on the next one.
TEST_P(Order, AllButTheLastOfAQueuePairThatEnds) {
  expectGood([] {
    for (int Round = 0; Round < 8; ++Round) {
      Loop L;
      for (uint64_t I = 0; I < 7; ++I) {
        CHECK(rdma_wait_all_but(L.Qp, 3) == 0);
        L.write(I, 0);
      }
      CHECK(ibv_destroy_qp(L.Qp) == 0 && ibv_destroy_cq(L.D.Cq) == 0);
    }
    CHECK(rdma_order_state.busy == 0);
  });
}

/// Nor does anything wait for it any more once its completion queue is gone, too.
TEST(OrderEnd, OfAQueuePairWhoseRequestsTakeVeryLong) {
  EXPECT_EQ(runRole({},
                    [] {
                      setenv("RDMA_LATENCY", "1000s", 1);
                      Loop L;
                      for (uint64_t I = 0; I < 3; ++I) {
                        CHECK(rdma_wait_all_but(L.Qp, 3) == 0);
                        L.write(I, 0);
                      }
                      CHECK(ibv_destroy_qp(L.Qp) == 0 && rdma_order_state.busy != 0);
                      CHECK(ibv_destroy_cq(L.D.Cq) == 0 && rdma_order_state.busy == 0);
                    }),
            0);
}

INSTANTIATE_TEST_SUITE_P(Schedules, Order, testing::Bool(),
                         [](const auto &Info) { return Info.param ? "weak" : "strong"; });

ibv_qp *datagrams(const Device &D) {
  ibv_qp_init_attr Attr = {};
  Attr.send_cq = Attr.recv_cq = D.Cq;
  Attr.cap = {4, 4, 1, 1, 0};
  Attr.qp_type = IBV_QPT_UD;
  return ibv_create_qp(D.Domain, &Attr);
}

/// An order that failed ends the program, unless the program says otherwise.
TEST(OrderFailure, EndsTheProgram) {
  EXPECT_EQ(runRole({},
                    [] {
                      Loop L;
                      fclose(stderr);
                      rdma_wait(datagrams(L.D));
                    }),
            128 + SIGABRT);
}

/// The memory that the program wrote may not be read back: that is our request's failure.
TEST(OrderFailure, OfTheFlushItselfEndsTheProgram) {
  EXPECT_EQ(runRole({},
                    [] {
                      Loop L;
                      fclose(stderr);
                      static uint64_t Sealed;
                      ibv_mr *Mr = ibv_reg_mr(L.D.Domain, &Sealed, 8,
                                              IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE);
                      Work W(IBV_WR_RDMA_WRITE, L.Mr, &Loop::Here, 8, addressOf(L.D, L.Qp, Mr));
                      CHECK(W.post(L.Qp) == 0);
                      rdma_flush(L.Qp);
                    }),
            128 + SIGABRT);
}

/// Of several queue pairs one fails: the others are waited for all the same, and nothing stays under way.
TEST(OrderFailure, OfOneOfSeveralQueuePairs) {
  EXPECT_EQ(runRole({},
                    [] {
                      rdma_order_on_error = [](const char *, ibv_qp *, int) {};
                      Several L;
                      ibv_qp *Other = datagrams(L.D); // no WRITE can be posted on it
                      L.writeEach(1, 0);
                      CHECK(rdma_wait_all(3, L.Qps[0], Other, L.Qps[1]) == EOPNOTSUPP);
                      CHECK(rdma_order_state.busy == 0);
                      CHECK(rdma_flush_all(2, Other, L.Qps[2]) == 0);
                      CHECK(__atomic_load_n(&L.To[2], __ATOMIC_ACQUIRE) == 1);
                    }),
            0);
}

TEST(OrderFailure, IsToldToTheProgram) {
  EXPECT_EQ(runRole({},
                    [] {
                      static int Told = 0;
                      rdma_order_on_error = [](const char *, ibv_qp *, int Error) { Told = Error; };
                      Loop L;
                      CHECK(rdma_wait(datagrams(L.D)) == EOPNOTSUPP && Told == EOPNOTSUPP);
                      Work Bad(IBV_WR_RDMA_WRITE, L.Mr, &Loop::Here, 8, addressOf(L.D, L.Qp, nullptr));
                      CHECK(Bad.post(L.Qp) == 0);
                      Told = 0;
                      CHECK(rdma_flush(L.Qp) == EIO && Told == 0); // its own completion tells
                      CHECK(awaitCompletion(L.D.Cq).status == IBV_WC_REM_ACCESS_ERR);
                    }),
            0);
}

} // namespace
