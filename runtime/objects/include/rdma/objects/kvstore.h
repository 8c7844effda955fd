// A key-value store over all nodes (LOCO's kvstore): values lie where they were inserted, every node has the
// whole index.
//
// Linearisable. lookup takes no lock and one round trip; update a lock, a put and a fence, about 4; insert
// and erase tell every node and wait for it. A lookup of a key that is just being inserted or erased sees it
// before or after. Keys and values are trivially copyable; a key is compared by ==, found by std::hash.
//
// Every node makes the store before wait_for_ready. Destroying it waits until every node has come to it, or
// one is lost. Calls throw error when a node is lost, and when this node has no free slot for an insert.
#pragma once

#include "rdma/objects/index.h"
#include "rdma/objects/msw.h"
#include "rdma/objects/ring.h"
#include "rdma/objects/table.h"

#include <algorithm>
#include <optional>
#include <shared_mutex>
#include <thread>
#include <utility>

namespace rdma::objects {

struct kv_options {
  std::size_t slots = 1024;   ///< values that one node can hold
  std::size_t locks = 64;     ///< of all keys
  std::size_t messages = 256; ///< inserts and erases on their way from one node
  bool fence = true;          ///< off: as fast as wrong; for measurements and the test that shows it
  bool early_ack = false;     ///< on: wrong; for the test that shows it
  bool counted = true;        ///< checksum covers the counter; off: wrong; for the test that shows it
  bool late_index = false;    ///< on: wrong, valid before the own index; for the test that shows it
};

/// The part that knows no types: slots, index messages, acknowledgements, the tracker thread.
class kv_tracker : public channel {
public:
  enum kind : word { Insert = 1, Erase = 2, Leave = 3 };
  using apply = std::function<void(kind Kind, std::span<const word> Key, kv_place Place)>;

  kv_tracker(const channel &Parent, const kv_options &Options, std::size_t KeyWords, apply Apply);
  ~kv_tracker() override;
  /// Tells every node, and waits until each has acted. One call at a time goes out; several wait at a time.
  status tell(kind Kind, std::span<const word> Key, kv_place Place);

private:
  void follow();
  void run();
  bool metAll();
  status submit(std::span<const word> Message, word &Number);
  status awaitAcks(word Number, endpoint &Here);
  void take(node_id From, std::span<const word> Message);

  kv_options Options;
  std::size_t KeyWords;
  apply Apply;
  word *Acks; ///< how many messages of this node each node has acted on, a line each
  std::vector<const remote *> AcksAt;
  std::vector<std::unique_ptr<ring>> Rings; ///< of each node, written by it
  std::unique_ptr<endpoint> Pushes;         ///< of this node's ring; made when the first message is sent
  std::mutex Sending;
  word Sent = 0; ///< guarded by Sending
  std::vector<word> Applied;
  node_set Left;
  std::atomic<bool> Stop{false};
  std::thread Thread;
};

/// Free slots of this node, and what each was counted up to.
class kv_slots {
public:
  explicit kv_slots(std::size_t Count) : Count(Count) {}
  std::optional<std::size_t> take();
  void giveBack(std::size_t Slot);

private:
  std::mutex Lock;
  std::size_t Count, Unused = 0; ///< Unused: the first of those that nobody has taken yet
  std::vector<std::size_t> Free; ///< given back
};

template <class K, class V, class Hash = std::hash<K>> class kvstore : public channel {
  static_assert(std::is_trivially_copyable_v<K> && std::is_trivially_copyable_v<V>);
  static constexpr std::size_t KeyWords = (sizeof(K) + 7) / 8, ValueWords = (sizeof(V) + 7) / 8;
  /// Checksum, meta (counter and whether it is valid), key, value.
  static constexpr std::size_t SlotWords = 2 + KeyWords + ValueWords, SlotSize = SlotWords * sizeof(word);
  using image = std::array<word, SlotWords>;

public:
  kvstore(std::string Name, manager &Manager, const kv_options &Options = {})
      : channel(std::move(Name), Manager), Options(Options), Locks(*this, "locks", Options.locks),
        Free(Options.slots), Stages(Manager.threads() + 1),
        Tracker(*this, Options, KeyWords,
                [this](kv_tracker::kind Kind, std::span<const word> Key, kv_place Place) {
                  apply(Kind, decode<K>(Key.data()), Place);
                }) {
    agree("bytes of a key", sizeof(K));
    agree("bytes of a value", sizeof(V));
    Slots = own("slots", bytes_of(Options.slots, SlotSize)).words();
    for (node_id N : Manager.all())
      SlotsAt.push_back(&other(N, "slots", bytes_of(Options.slots, SlotSize)));
    for (stage &S : Stages)
      S.At = Manager.allocate(SlotSize).words();
    join();
  }

  /// A lookup that is under way; several may be, each with a pending of its own.
  class pending {
  public:
    explicit pending(kvstore &Store) : Store(Store), At(Store.owner().allocate(SlotSize).words()) {}
    std::optional<V> get() {
      if (!Place)
        return {};
      Store.check(Done.wait());
      std::optional<V> Value;
      return Store.judge(At, *Place, Value) ? Value : Store.lookup(Key);
    }

  private:
    friend class kvstore;
    kvstore &Store;
    word *At;
    ack Done;
    K Key{};
    std::optional<kv_place> Place;
  };

  std::optional<V> lookup(const K &Key) {
    endpoint &Here = owner().here();
    std::optional<kv_place> Place = find(Key);
    if (!Place)
      return {};
    word *At = myStage().At;
    waiting Wait(Here);
    for (std::optional<V> Value;;) {
      ack Done;
      check(Here.get(At, slot(*Place), SlotSize, Done));
      check(Done.wait());
      if (judge(At, *Place, Value))
        return Value;
      check(Wait.step());
    }
  }
  bool contains(const K &Key) { return lookup(Key).has_value(); }

  /// Starts a lookup; Into.get() ends it. Into is not under way already.
  void lookup_async(const K &Key, pending &Into) {
    Into.Key = Key;
    Into.Place = find(Key);
    if (Into.Place)
      check(owner().here().get(Into.At, slot(*Into.Place), SlotSize, Into.Done));
  }

  class updating;
  /// Starts an update; Into.get() ends it. Into is not under way already. The other calls that change
  /// something first end what this thread has under way.
  void update_async(const K &Key, const V &Value, updating &Into) { Into.begin(Key, Value); }

  /// False when the key is there already.
  bool insert(const K &Key, const V &Value) {
    guard Held(*this, Key);
    if (find(Key))
      return false;
    std::optional<std::size_t> Slot = Free.take();
    if (!Slot)
      throw error("kvstore '" + name() + "': no free slot on node " + std::to_string(me()), name(), me());
    word *At = Slots + *Slot * SlotWords;
    word Counter = (load(At[1]) >> 1) + 1;
    image New = encode(Key, Value, Counter);
    for (std::size_t I = 0; I < SlotWords; ++I)
      store(At[I], New[I]);
    kv_place Place = {me(), *Slot, Counter};
    check(Tracker.tell(kv_tracker::Insert, std::span(New).subspan(2, KeyWords), Place));
    // The own index before others can find it: a lookup of this node may come right after theirs.
    if (!Options.late_index)
      apply(kv_tracker::Insert, Key, Place);
    store(At[1], Counter << 1 | 1);
    if (Options.late_index) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1)); // what an unlucky processor would do
      apply(kv_tracker::Insert, Key, Place);
    }
    finish(me());
    return true;
  }

  /// False when the key is not there.
  bool update(const K &Key, const V &Value) {
    guard Held(*this, Key);
    std::optional<kv_place> Place = find(Key);
    if (!Place)
      return false;
    stage &Mine = myStage();
    check(Mine.Sent.wait());
    image New = encode(Key, Value, Place->Counter);
    New[1] |= 1;
    for (std::size_t I = 0; I < SlotWords; ++I)
      store(Mine.At[I], New[I]);
    check(owner().here().put(slot(*Place), Mine.At, SlotSize, &Mine.Sent));
    check(Mine.Sent.wait()); // the stage takes the next lookup's result
    finish(Place->Node);
    return true;
  }

  bool erase(const K &Key) {
    guard Held(*this, Key);
    std::optional<kv_place> Place = find(Key);
    if (!Place)
      return false;
    check(owner().here().put_word(slot(*Place).word_at(1), Place->Counter << 1));
    finish(Place->Node);
    image Words = encode(Key, V{}, 0);
    check(Tracker.tell(kv_tracker::Erase, std::span(Words).subspan(2, KeyWords), *Place));
    apply(kv_tracker::Erase, Key, *Place);
    return true;
  }

  /// Keys that this node knows; others may be on their way.
  std::size_t size() const {
    std::shared_lock Guard(IndexLock);
    return Index.size();
  }
  std::vector<K> keys() const {
    std::shared_lock Guard(IndexLock);
    return Index.keys();
  }

private:
  struct alignas(line_size) stage {
    word *At = nullptr;
    ack Sent;
    std::vector<updating *> Open; ///< oldest first
  };
  /// The lock of a key; released also when something is thrown.
  class guard {
  public:
    guard(kvstore &Store, const K &Key) : Store(Store), Lock(Store.lockOf(Key)) {
      Store.settle();
      Store.check(Store.Locks.acquire(Lock, Ticket));
    }
    guard(const guard &) = delete;
    ~guard() { (void)Store.Locks.release(Lock, Ticket); }

  private:
    kvstore &Store;
    std::size_t Lock;
    word Ticket;
  };

  std::size_t lockOf(const K &Key) const { return Hash()(Key) % Locks.size(); }
  /// One of them may hold, or be in turn for, the lock that the thread is about to wait for.
  void settle() {
    for (stage &Mine = myStage(); !Mine.Open.empty();)
      Mine.Open.front()->get();
  }
  void check(status S) const {
    if (S != status::ok)
      throw failure(S);
  }
  /// What was written to that node is there before the lock, which may be on another, is given back.
  void finish(node_id Node) {
    if (Options.fence)
      check(owner().fence(node_set{Node}));
  }
  stage &myStage() {
    unsigned Index = owner().thread_index();
    return Stages[Index == manager::helper ? owner().threads() : Index];
  }
  remote slot(const kv_place &Place) const { return SlotsAt[Place.Node]->at(Place.Slot * SlotSize); }

  template <class T> static T decode(const word *Words) {
    T Value;
    std::memcpy(static_cast<void *>(&Value), Words, sizeof Value);
    return Value;
  }
  word checksum(const image &Slot, word Counter) const {
    return hash_words(Slot.data() + 2, SlotWords - 2, Options.counted ? Counter : 0);
  }
  /// Not valid yet.
  image encode(const K &Key, const V &Value, word Counter) const {
    image Slot{};
    std::memcpy(&Slot[2], &Key, sizeof Key);
    std::memcpy(&Slot[2 + KeyWords], &Value, sizeof Value);
    Slot[1] = Counter << 1;
    Slot[0] = checksum(Slot, Counter);
    return Slot;
  }
  /// False for a torn slot. Value stays empty when the slot is another's by now, or not valid.
  bool judge(const word *At, const kv_place &Place, std::optional<V> &Value) const {
    image Slot;
    for (std::size_t I = 0; I < SlotWords; ++I)
      Slot[I] = load(At[I]);
    word Counter = Slot[1] >> 1;
    if (checksum(Slot, Counter) != Slot[0])
      return false;
    if (Counter == Place.Counter && (Slot[1] & 1))
      Value = decode<V>(&Slot[2 + KeyWords]);
    return true;
  }
  std::optional<kv_place> find(const K &Key) const {
    std::shared_lock Guard(IndexLock);
    return Index.find(Key);
  }
  void apply(kv_tracker::kind Kind, const K &Key, kv_place Place) {
    {
      std::unique_lock Guard(IndexLock);
      if (Kind == kv_tracker::Insert)
        Index.set(Key, Place);
      else
        Index.erase(Key);
    }
    // Some node may look at the slot still, by an old entry: the counter tells it.
    if (Kind == kv_tracker::Erase && Place.Node == me())
      Free.giveBack(Place.Slot);
  }

  kv_options Options;
  lock_table Locks;
  kv_slots Free;
  std::deque<stage> Stages;
  word *Slots;
  std::vector<const remote *> SlotsAt;
  mutable std::shared_mutex IndexLock;
  kv_index<K, Hash> Index;
  kv_tracker Tracker; ///< last: its thread uses the rest
};

/// An update that is under way; several may be, each with one of these, to be used again: its memory stays
/// until the manager goes. Lock, value and fence follow one another, and go on when its thread calls step or
/// get of one of its own. Those of a thread that wait for the same lock take it once, and write in the order
/// in which they began.
template <class K, class V, class Hash> class kvstore<K, V, Hash>::updating {
public:
  explicit updating(kvstore &Store)
      : Store(Store), At(Store.owner().allocate(SlotSize + 3 * sizeof(word)).words()), Ticket(At + SlotWords),
        Served(Ticket + 1), Landing(Ticket + 2) {}
  updating(const updating &) = delete;
  ~updating() {
    try {
      if (State != state::Idle) // else this may be any thread
        get();
    } catch (const error &) { // a node is lost; nobody asks for the result
    }
  }

  /// Goes on without waiting. True when it is over.
  bool step() {
    Store.owner().here().poll();
    if (State == state::Idle || State == state::Following)
      return State == state::Idle;
    if (Skip > 0)
      --Skip;
    else if (isDone())
      advance();
    return State == state::Idle;
  }
  /// Waits for the end. False when the key was not there.
  bool get() {
    waiting Wait(Store.owner().here());
    std::vector<updating *> &Open = Store.myStage().Open;
    while (State != state::Idle) {
      for (std::size_t I = 0; I < Open.size();) // this one may wait for an older one's lock
        I += !Open[I]->step();
      if (State != state::Idle)
        Store.check(Wait.step());
    }
    Store.check(std::exchange(Ended, status::ok));
    return Found;
  }

private:
  friend class kvstore;
  /// Following: another one waits for the lock, and writes for this one.
  enum class state { Idle, Queueing, Writing, Following };

  void begin(const K &NewKey, const V &NewValue) {
    Key = NewKey;
    Value = NewValue;
    Lock = Store.lockOf(Key);
    Found = false;
    Ended = status::ok;
    Skip = 0;
    std::vector<updating *> &Open = Store.myStage().Open;
    auto First = std::find_if(Open.begin(), Open.end(), [this](const updating *Other) {
      return Other->Lock == Lock && Other->State == state::Queueing;
    });
    if (First != Open.end()) {
      (*First)->Followers.push_back(this);
      State = state::Following;
    } else {
      Store.check(Store.Locks.draw(Lock, Ticket, Done));
      Store.check(Store.Locks.look(Lock, Served, Done));
      State = state::Queueing;
    }
    Open.push_back(this);
  }
  bool isDone() const {
    return Done.done() &&
           std::all_of(Followers.begin(), Followers.end(), [](const updating *F) { return F->Done.done(); });
  }
  template <class Each> void forAll(Each Do) {
    Do(*this);
    for (updating *F : Followers)
      Do(*F);
  }
  /// All of them.
  void leave(status S) {
    forAll([S](updating &U) {
      U.State = state::Idle;
      U.Ended = S;
      std::erase(U.Store.myStage().Open, &U);
    });
    Followers.clear();
  }
  void advance() {
    status S = status::ok;
    forAll([&](updating &U) {
      if (status Own = U.Done.wait(); S == status::ok)
        S = Own;
    });
    if (S == status::ok)
      S = goOn();
    if (S != status::ok)
      leave(S);
  }
  status goOn() {
    if (State == state::Writing)
      return finish();
    if (load(*Served) == load(*Ticket))
      return write();
    Skip = load(*Ticket) - load(*Served) - 1;
    return Store.Locks.look(Lock, Served, Done);
  }
  /// The lock is held.
  status write() {
    State = state::Writing;
    node_id Host = Store.Locks.host(Lock);
    status S = status::ok;
    forAll([&](updating &U) {
      if (S == status::ok)
        S = U.writeOne(Host);
    });
    IsReleased = S == status::ok;
    forAll([&](updating &U) { IsReleased &= !U.Found || U.Place.Node == Host; });
    if (IsReleased)
      S = Store.Locks.release_behind_puts(Lock, Landing, Done);
    return S;
  }
  /// What lies on the lock's own node is there when the lock has been given back by an atomic.
  status writeOne(node_id Host) {
    std::optional<kv_place> Known = Store.find(Key);
    Found = Known.has_value();
    if (!Found)
      return status::ok;
    Place = *Known;
    image New = Store.encode(Key, Value, Place.Counter);
    New[1] |= 1;
    for (std::size_t I = 0; I < SlotWords; ++I)
      store(At[I], New[I]);
    endpoint &Here = Store.owner().here();
    remote Slot = Store.slot(Place);
    status S = Here.put(Slot, At, SlotSize, &Done);
    if (S == status::ok && Store.Options.fence &&
        Place.Node != Host) // when this has come back, the value is there
      S = Here.get(Landing, Slot, sizeof(word), Done);
    return S;
  }
  status finish() {
    word Given = load(*Ticket);
    std::size_t Taken = Lock;
    bool Was = IsReleased;
    leave(status::ok);
    return Was ? status::ok : Store.Locks.release(Taken, Given);
  }

  kvstore &Store;
  word *At, *Ticket, *Served, *Landing;
  ack Done;
  K Key{};
  V Value{};
  std::size_t Lock = 0;
  word Skip = 0; ///< steps to leave out: as many as there are others before this one
  state State = state::Idle;
  status Ended = status::ok;
  kv_place Place;
  std::vector<updating *> Followers; ///< they end with this one
  bool Found = false, IsReleased = false;
};

} // namespace rdma::objects
