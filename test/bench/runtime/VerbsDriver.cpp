// Times the device: two processes, each on its own core, over one queue pair.
//
// The parent measures. The child only registers memory, and takes part in the ping-pongs.
#include "Rounds.h"

#include "test/unit/runtime/Verbs.h"

#include <cstring>
#include <sched.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>

using namespace rdma::test;
using rdma::bench::tell;

namespace {

constexpr size_t Size = 2 << 20;
constexpr uint32_t Depth = 256, Window = 64;
constexpr unsigned PingPongs = 1100, PerRound = 100; // as many rounds as tell() makes

void pin(int Cpu) {
  cpu_set_t Set;
  CPU_ZERO(&Set);
  CPU_SET(Cpu, &Set);
  sched_setaffinity(0, sizeof Set, &Set);
}

class End {
public:
  End(int Fd, bool First) : Peer(Fd), First(First) {
    Memory = static_cast<char *>(aligned_alloc(4096, Size));
    memset(Memory, 0, Size);
    Mr = D.offer(Memory, Size);
    Qp = D.queuePair(Depth);
    Peer.tell(addressOf(D, Qp, Mr));
    There = Peer.hear<Address>();
    connect(Qp, There);
    Peer.meet();
  }

  /// A request from the beginning of the memory to the beginning of the other's.
  ibv_send_wr request(ibv_wr_opcode Opcode, uint32_t Length, unsigned Flags) {
    Sge = {reinterpret_cast<uint64_t>(Memory), Length, Mr->lkey};
    ibv_send_wr Wr = {};
    Wr.sg_list = &Sge;
    Wr.num_sge = 1;
    Wr.opcode = Opcode;
    Wr.send_flags = Flags;
    if (Opcode == IBV_WR_ATOMIC_FETCH_AND_ADD) {
      Wr.wr.atomic = {There.At + 64, 1, 0, There.Rkey};
    } else {
      Wr.wr.rdma = {There.At, There.Rkey};
    }
    return Wr;
  }
  void post(ibv_send_wr &Wr) {
    ibv_send_wr *Bad;
    CHECK(ibv_post_send(Qp, &Wr, &Bad) == 0);
  }
  void poll() {
    ibv_wc Wc;
    int Got;
    while ((Got = ibv_poll_cq(D.Cq, 1, &Wc)) == 0)
      ;
    CHECK(Got == 1 && Wc.status == IBV_WC_SUCCESS);
  }

  /// Count requests, of which the last of each window is signaled and waited for.
  void stream(const char *Row, ibv_wr_opcode Opcode, uint32_t Length, unsigned Flags, unsigned Count,
              unsigned Rounds = 1001) {
    ibv_send_wr Wr = request(Opcode, Length, Flags);
    tell(
        Row, Count,
        [&] {
          for (unsigned I = 1; I <= Count; ++I) {
            bool Last = I % Window == 0 || I == Count;
            Wr.send_flags = Flags | (Last ? IBV_SEND_SIGNALED : 0);
            post(Wr);
            if (Last)
              poll();
          }
        },
        Rounds);
  }

  /// The same in lists, one post for each window.
  void streamLists(const char *Row, unsigned Count) {
    ibv_send_wr List[Window];
    for (unsigned I = 0; I < Window; ++I) {
      List[I] = request(IBV_WR_RDMA_WRITE, 8, IBV_SEND_INLINE | (I + 1 == Window ? IBV_SEND_SIGNALED : 0));
      List[I].next = I + 1 == Window ? nullptr : &List[I + 1];
    }
    tell(Row, Count, [&] {
      for (unsigned I = 0; I < Count; I += Window) {
        post(List[0]);
        poll();
      }
    });
  }

  /// Each side writes the next number into the other's memory when it sees the last; half of a round trip.
  void pingPong(const char *Row) {
    volatile uint64_t &Mine = *reinterpret_cast<uint64_t *>(Memory);
    uint64_t Next = 0, Out = 0;
    ibv_send_wr Wr = request(IBV_WR_RDMA_WRITE, 8, IBV_SEND_INLINE);
    Sge.addr = reinterpret_cast<uint64_t>(&Out);
    unsigned Sent = 0;
    auto send = [&] {
      Out = ++Next;
      bool Signaled = ++Sent % Window == 0;
      Wr.send_flags = IBV_SEND_INLINE | (Signaled ? IBV_SEND_SIGNALED : 0);
      post(Wr);
      if (Signaled)
        poll();
    };
    auto hear = [&](uint64_t What) {
      while (Mine < What)
        ;
    };
    if (!First) {
      for (unsigned I = 0; I < PingPongs * PerRound + PerRound; ++I) {
        hear(I + 1);
        send();
      }
      return;
    }
    tell(Row, 2 * PerRound, [&] {
      for (unsigned I = 0; I < PerRound; ++I) {
        send();
        hear(Next);
      }
    });
    while (Sent < PingPongs * PerRound + PerRound) {
      send();
      hear(Next);
    }
  }

  Device D;
  Line Peer;

private:
  bool First;
  char *Memory;
  ibv_mr *Mr;
  ibv_qp *Qp;
  Address There;
  ibv_sge Sge;
};

/// One request at a time, posted and polled.
void roundTrips(End &E, const char *Row, ibv_wr_opcode Opcode, unsigned Flags) {
  ibv_send_wr Wr = E.request(Opcode, 8, Flags | IBV_SEND_SIGNALED);
  tell(Row, 100, [&] {
    for (unsigned I = 0; I < 100; ++I) {
      E.post(Wr);
      E.poll();
    }
  });
}

void measure(End &E) {
  E.pingPong("write_latency_8");
  E.Peer.meet();
  roundTrips(E, "write_completion_8", IBV_WR_RDMA_WRITE, IBV_SEND_INLINE);
  roundTrips(E, "read_completion_8", IBV_WR_RDMA_READ, 0);
  E.stream("write_rate_8", IBV_WR_RDMA_WRITE, 8, IBV_SEND_INLINE, 1024);
  E.streamLists("write_rate_8_lists", 1024);
  E.stream("write_bandwidth_4096", IBV_WR_RDMA_WRITE, 4096, 0, 512);
  E.stream("write_bandwidth_1048576", IBV_WR_RDMA_WRITE, 1 << 20, 0, 4, 301);
  E.stream("read_bandwidth_4096", IBV_WR_RDMA_READ, 4096, 0, 512);
  E.stream("read_bandwidth_1048576", IBV_WR_RDMA_READ, 1 << 20, 0, 4, 301);
  E.stream("fetch_add_rate", IBV_WR_ATOMIC_FETCH_AND_ADD, 8, 0, 512);
  roundTrips(E, "fetch_add_completion", IBV_WR_ATOMIC_FETCH_AND_ADD, 0);
}

/// What the processor does without any device.
void measureCopies() {
  auto *From = static_cast<char *>(aligned_alloc(4096, Size)),
       *To = static_cast<char *>(aligned_alloc(4096, Size));
  memset(From, 1, Size);
  memset(To, 2, Size);
  auto copy = [&](size_t Length) {
    memcpy(To, From, Length);
    asm volatile("" : : "r"(To) : "memory");
  };
  tell("memcpy_8", 1024, [&] {
    for (unsigned I = 0; I < 1024; ++I)
      copy(8);
  });
  tell("memcpy_4096", 512, [&] {
    for (unsigned I = 0; I < 512; ++I)
      copy(4096);
  });
  tell(
      "memcpy_1048576", 4,
      [&] {
        for (unsigned I = 0; I < 4; ++I)
          copy(1 << 20);
      },
      301);
}

} // namespace

int main(int Count, char **Arguments) {
  if (Count == 2 && !strcmp(Arguments[1], "memcpy")) {
    pin(0);
    measureCopies();
    return 0;
  }
  int Pair[2];
  CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, Pair) == 0);
  pid_t Child = fork();
  pin(Child ? 0 : 1);
  End E(Pair[Child != 0], Child != 0);
  if (Child) {
    measure(E);
    E.Peer.meet();
    int Status = 0;
    waitpid(Child, &Status, 0);
    return Status != 0;
  }
  E.pingPong("");
  E.Peer.meet();
  E.Peer.meet(); // until the other has measured
  return 0;
}
