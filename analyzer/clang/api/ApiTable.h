// What calls mean: the one table of functions that the extraction knows by name.
#pragma once

#include <cstdint>
#include <string_view>

namespace rdma::clang_ir {

enum class Api : std::uint8_t {
  PostSend,    ///< ibv_post_send(qp, wr, bad) and its redirection in rdma/order.h
  PollCq,      ///< ibv_poll_cq(cq, n, wc) and its redirection
  PostRecv,    ///< ibv_post_recv(qp, wr, bad)
  CmPost,      ///< librdmacm's rdma_post_read and its like: (id, context, addr, length, mr, flags, ...), and
               ///< rdma_post_readv(id, context, list, count, flags, ...)
  CmPostRecv,  ///< rdma_post_recv(id, context, addr, length, mr), rdma_post_recvv(id, context, list, count)
  CmPoll,      ///< rdma_get_send_comp(id, wc): waits for one completion
  CmPollRecv,  ///< rdma_get_recv_comp(id, wc)
  WrStart,     ///< ibv_wr_start(qp): nothing is built
  WrCall,      ///< the ibv_wr_* calls that say what a request does and with which data
  WrComplete,  ///< ibv_wr_complete(qp): posts what was built since ibv_wr_start
  WrAbort,     ///< ibv_wr_abort(qp): posts nothing of it
  OtherPost,   ///< posts that are not analysed: ibv_post_srq_recv, ibv_bind_mw, ...
  StartPoll,   ///< ibv_start_poll(cq, attributes), ibv_next_poll(cq): one completion when they return 0
  RegMr,       ///< ibv_reg_mr(pd, addr, length, access)
  CmReg,       ///< rdma_reg_msgs(id, addr, length) and its like
  Deregister,  ///< ibv_dereg_mr(mr)
  CreateQp,    ///< ibv_create_qp(pd, attr)
  CmCreateQp,  ///< rdma_create_qp(id, pd, attr)
  CreateCq,    ///< ibv_create_cq and ibv_create_cq_ex: a new completion queue
  WaitQp,      ///< rdma_wait(qp) of rdma/order.h: an empty WRITE, waited for; rdma_wait_all_but(qp, count)
  FlushQp,     ///< rdma_flush(qp) of rdma/order.h: a READ, waited for
  Scattered,   ///< reads or writes what an iovec names, which is not followed
  MemoryFence, ///< orders the CPU's stores before its later loads; system calls and locks
  Memory,      ///< reads and writes only what its row says
  Frees,    ///< gives memory or its pages back: a write to the whole block at the first argument, and what is
            ///< returned may be it
  Nothing,  ///< touches no memory that a NIC or another thread can see, whatever it is given
  Ends,     ///< does not return
  Allocate, ///< returns memory that nothing else points to
  Map,      ///< mmap(address, length, protection, flags, file, offset)
  Foreign,  ///< returns memory of a library or the kernel, never the program's own buffers
  Same,     ///< returns its first argument, seen as another type
  SpawnPthread, ///< pthread_create(thread, attributes, routine, argument), thrd_create(thread, routine,
                ///< argument)
  SpawnStd,     ///< the heart of std::thread's constructor
  JoinPthread,  ///< pthread_join(thread, result)
  JoinStd,      ///< std::thread::join
  EndThread,    ///< pthread_exit(result)
  Sync,      ///< an atomic step on the object at argument Writes, and on that at Reads: locks, barriers, ...
  SyncStore, ///< as Sync, but a plain store: the release of a spin lock
  SyncThrough,  ///< as Sync, where argument Reads points to a pointer to the second object
  Sends,        ///< a system call that other threads or nodes may wait for
  Receives,     ///< a system call that may wait for such a one
  Readiness,    ///< waits for one of several descriptors: a message, or an event
  Event,        ///< takes an event of a device: a completion has come, or the like
  SendsFile,    ///< writes through a FILE: what arrives elsewhere, and when, is not known
  ReceivesFile, ///< reads through a FILE
  SystemCall,   ///< syscall(number, ...)
  Keeps,        ///< may read or write what it is given at any time later
  StartsCode,   ///< runs code beside this thread that is not followed: a process, a timer, ...
  Transfers,    ///< control goes elsewhere: setjmp, longjmp, ...
};

struct ApiRow {
  std::string_view Name;
  Api What;
  /// Argument numbers; -1: none; Reads -2: every pointer. What is read and written, and how many bytes (-1:
  /// not known). Arguments that are not named here: see ArgumentUse.h.
  std::int8_t Reads = -1, Writes = -1, Size = -1;
  /// What is read and written is one object of this size. 0: it may be an array.
  std::int16_t Bytes = 0;
  /// What is returned points somewhere into what this argument points into. -1: it does not.
  std::int8_t Into = -1;
};

/// Does it hand requests to a queue pair? WrCall builds them only.
bool posts(Api What);
/// Does it take completions?
bool polls(Api What);

/// Does it make an exception of the C++ library? Its table comes first.
bool makesException(const ApiRow &Row);

/// Does the call start a thread that runs code of the sources?
inline bool startsThread(const ApiRow &Row) {
  return Row.What == Api::SpawnPthread || Row.What == Api::SpawnStd;
}

/// Does the call return while what it was asked for goes on: requests of asynchronous I/O?
inline bool goesOn(const ApiRow &Row) {
  return Row.Name.starts_with("aio_") || Row.Name == "lio_listio" || Row.Name == "io_submit";
}

/// Does it end the queue pair that its first argument is or has, for certain? What stops one (ibv_modify_qp,
/// rdma_disconnect) may also change it only.
bool endsQueuePair(const ApiRow &Row);
/// May it end queue pairs, or stop them? Then nothing that was posted on them is under way any more.
bool mayEndQueuePairs(const ApiRow &Row);

/// Is it a system call, or the C library's face of one?
bool isOfSystem(const ApiRow &Row);

/// The row of a function by its symbol, or null. Translation asks rowOf (Declared.h), which also looks at who
/// declares the function.
const ApiRow *apiOf(std::string_view Symbol);

} // namespace rdma::clang_ir
