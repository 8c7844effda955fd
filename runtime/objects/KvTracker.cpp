// The index messages of the key-value store: node I writes ring I, the helper thread of every other node
// reads it, acts, and says so in a word of its own. The ring's own head cannot say it: it moves before the
// message has been acted on.
#include "rdma/objects/kvstore.h"

namespace rdma::objects {

namespace {
constexpr std::size_t Stride = line_size / sizeof(word), HeaderWords = 4;
constexpr auto LookAgain = std::chrono::milliseconds(1);

/// How long a tracker sleeps more than others that wait, by how often it has looked in vain: it may have
/// nothing to do for as long as the program runs, and each look takes the processor from a thread that works.
/// Who tells it something waits longer by a small part of the time since the last message.
std::chrono::microseconds pauseOf(std::uint64_t Idle) {
  constexpr std::uint64_t Usual = 320, Longest = 900; // from when on others do not sleep longer any more
  return std::chrono::microseconds(Idle > Usual ? std::min(Idle - Usual, Longest) : 0);
}
} // namespace

kv_tracker::kv_tracker(const channel &Parent, const kv_options &Options, std::size_t KeyWords, apply Apply)
    : channel(Parent, "tracker", Parent.peers()), Options(Options), KeyWords(KeyWords),
      Apply(std::move(Apply)), Applied(owner().nodes(), 0) {
  unsigned Nodes = owner().nodes();
  Acks = own("acks", Nodes * line_size).words();
  for (node_id N : owner().all())
    AcksAt.push_back(&other(N, "acks", Nodes * line_size));
  for (node_id Writer : owner().all()) {
    std::vector<thread_id> Readers;
    for (node_id N : owner().all().without(Writer))
      Readers.push_back({N, manager::helper});
    if (!Readers.empty())
      Rings.push_back(std::make_unique<ring>(name() + "/ring" + std::to_string(Writer), owner(),
                                             thread_id{Writer, manager::helper}, Readers,
                                             bytes_of(Options.messages, HeaderWords + KeyWords + 1)));
  }
  join();
  if (Nodes > 1)
    Thread = std::thread([this] { run(); });
}

kv_tracker::~kv_tracker() {
  if (!Thread.joinable())
    return;
  try {
    word Number;
    if (Pushes || metAll())
      (void)submit(std::vector<word>(HeaderWords + KeyWords, Leave), Number);
    else
      Stop = true;           // set-up never came to an end, and nobody follows
  } catch (const error &E) { // a node was lost, or there is no memory for it: the others wait to be told
    owner().give_up("its tracker cannot end: " + std::string(E.what()));
    Stop = true;
  }
  Thread.join();
}

/// Numbers the message.
status kv_tracker::submit(std::span<const word> Message, word &Number) {
  std::lock_guard OneAtATime(Sending);
  if (!Pushes) {
    Pushes = owner().make_endpoint();
    Rings[me()]->push_through(Pushes.get());
  }
  Number = ++Sent;
  return Rings[me()]->submit(Message);
}

status kv_tracker::tell(kind Kind, std::span<const word> Key, kv_place Place) {
  if (Rings.empty())
    return status::ok;
  std::vector<word> Message = {Kind, Place.Node, Place.Slot, Place.Counter};
  Message.insert(Message.end(), Key.begin(), Key.end());
  word Number;
  if (status S = submit(Message, Number); S != status::ok)
    return S;
  return awaitAcks(Number, owner().here());
}

status kv_tracker::awaitAcks(word Number, endpoint &Here) {
  waiting Wait(Here);
  for (node_id N : owner().all().without(me()))
    while (load(Acks[N * Stride]) < Number)
      if (status S = Wait.step(); S != status::ok && load(Acks[N * Stride]) < Number)
        return S;
  return status::ok;
}

bool kv_tracker::metAll() try {
  bool All = ready();
  for (auto &R : Rings)
    All &= R->ready();
  return All;
} catch (const error &) { // wait_for_ready says it
  return false;
}

void kv_tracker::run() {
  while (!metAll()) {
    if (Stop || owner().health() != status::ok)
      return;
    std::this_thread::sleep_for(LookAgain);
  }
  try {
    owner().attach_helper();
    follow();
    owner().detach_thread();
  } catch (const error &E) { // no memory for it, or a node is gone while this one connects
    owner().give_up("its tracker cannot begin: " + std::string(E.what()));
  }
}

/// Until every other node has left, or this one cannot go on.
void kv_tracker::follow() {
  waiting Wait(owner().here());
  for (std::uint64_t Idle = 0; Left.size() + 1 < owner().nodes(); ++Idle) {
    bool Any = false;
    for (node_id N : owner().all().without(me()))
      if (auto Message = Rings[N]->peek()) {
        take(N, *Message);
        Rings[N]->release();
        Any = true;
      }
    if (Any) {
      Wait.again();
      Idle = 0;
    } else if (Wait.step() != status::ok || Stop) {
      return;
    }
    std::this_thread::sleep_for(pauseOf(Idle));
  }
}

void kv_tracker::take(node_id From, std::span<const word> Message) {
  auto Acknowledge = [&] {
    (void)owner().here().put_word(AcksAt[From]->word_at(me() * Stride), ++Applied[From]);
  };
  std::vector<word> Words(Message.size());
  for (std::size_t I = 0; I < Words.size(); ++I)
    Words[I] = load(Message[I]);
  kind Kind = static_cast<kind>(Words[0]);
  if (Options.early_ack) {
    Acknowledge();
    std::this_thread::sleep_for(LookAgain); // what an unlucky processor would do
  }
  if (Kind == Leave)
    Left.insert(From);
  else
    Apply(Kind, std::span<const word>(Words).subspan(HeaderWords),
          {static_cast<node_id>(Words[1]), static_cast<std::size_t>(Words[2]), Words[3]});
  if (!Options.early_ack)
    Acknowledge(); // after the index: who waits for it may say that the key is there, or gone
}

} // namespace rdma::objects
