// Sequentially consistent memory (SYNC's library on the node lock), and any structure behind a lock.
//
// sc: a word on a host; all calls on all sc variables of a program appear in one order, that of each thread
// kept. Plain operations of the same program are not ordered by them. Cost: write 2 round trips, the
// others 3. locked: a value on a host; with(F) gets it, calls F on it and puts it back, under a node lock.
// Linearisable.
#pragma once

#include "rdma/objects/locks.h"
#include "rdma/objects/vars.h"

namespace rdma::objects {

/// The word and its lock on one node; sc gives it a type. Calls throw error when a node is lost.
class sc_word : public channel {
public:
  sc_word(std::string Name, manager &Manager, node_id Host);
  word read();
  void write(word Value);
  bool compare_exchange(word &Expected, word Desired);
  word fetch_add(word By);

private:
  template <class Post> word under(Post &&Operation);
  void check(status S) const;
  node_lock Lock;
  const remote *At;
};

template <fits_word T> class sc {
public:
  sc(std::string Name, manager &Manager, node_id Host) : Word(std::move(Name), Manager, Host) {}
  T read() { return from_word<T>(Word.read()); }
  void write(T Value) { Word.write(to_word(Value)); }
  bool compare_exchange(T &Expected, T Desired) {
    word Seen = to_word(Expected);
    bool Done = Word.compare_exchange(Seen, to_word(Desired));
    Expected = from_word<T>(Seen);
    return Done;
  }
  T fetch_add(T By)
    requires(std::is_integral_v<T> && sizeof(T) == sizeof(word))
  {
    return from_word<T>(Word.fetch_add(to_word(By)));
  }

private:
  sc_word Word;
};

template <class D> class locked : public channel {
  static_assert(std::is_trivially_copyable_v<D>);

public:
  locked(std::string Name, manager &Manager, node_id Host)
      : channel(std::move(Name), Manager), Lock(*this, "lock", Host), Places(Manager.threads()) {
    agree("bytes of the structure", sizeof(D));
    if (me() == Host)
      new (own("value", Size).data) D{};
    At = &other(Host, "value", Size);
    for (place &P : Places)
      P.At = Manager.allocate(Size);
    join();
  }
  /// Calls F(D &) under the lock; what it leaves there is what the next one sees. Throws error when a node is
  /// lost; what F throws leaves the value as it was.
  template <class F> auto with(F &&Do) {
    check(Lock.acquire());
    std::unique_lock Guard(Lock, std::adopt_lock);
    endpoint &Here = owner().here();
    place &P = Places.at(owner().thread_index());
    ack Fetched;
    check(P.Sent.wait()); // the NIC may still read what was put back last time
    check(Here.get(P.At.data, *At, Size, Fetched));
    check(Fetched.wait());
    D Value;
    std::memcpy(static_cast<void *>(&Value), P.At.data, sizeof Value);
    auto PutBack = [&] {
      std::memcpy(P.At.data, static_cast<const void *>(&Value), sizeof Value);
      check(Here.put(*At, P.At.data, Size, &P.Sent));
      Guard.release();
      check(Lock.release());
    };
    if constexpr (std::is_void_v<std::invoke_result_t<F, D &>>) {
      Do(Value);
      PutBack();
    } else {
      auto Result = Do(Value);
      PutBack();
      return Result;
    }
  }

private:
  static constexpr std::size_t Size = (sizeof(D) + 7) / 8 * 8;
  struct place {
    region At;
    ack Sent;
  };
  void check(status S) const {
    if (S != status::ok)
      throw failure(S);
  }
  node_lock Lock;
  const remote *At;
  std::deque<place> Places;
};

} // namespace rdma::objects
