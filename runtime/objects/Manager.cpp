#include "Membership.h"

#include <algorithm>
#include <exception>
#include <sched.h>

namespace rdma::objects {

const char *to_string(status S) {
  switch (S) {
  case status::ok:
    return "ok";
  case status::full:
    return "full";
  case status::empty:
    return "empty";
  case status::not_owner:
    return "not the owner";
  case status::not_participant:
    return "not a participant";
  case status::peer_lost:
    return "a node was lost";
  case status::stopped:
    return "stopped";
  }
  return "unknown";
}

namespace {

/// The endpoints of this thread, one for each manager; managers have serial numbers, so that one that is gone
/// is not taken for its successor at the same address.
struct binding {
  std::uint64_t Serial;
  endpoint *Endpoint;
  unsigned Index;
};
thread_local std::vector<binding> Bindings;
/// The one asked for last: a thread that has one manager finds its endpoint by one comparison.
constinit thread_local binding Latest = {0, nullptr, 0};
std::atomic<std::uint64_t> NextSerial{1};

const binding *find(std::uint64_t Serial) {
  for (const binding &B : Bindings)
    if (B.Serial == Serial)
      return &B;
  return nullptr;
}

void forget(std::uint64_t Serial) {
  std::erase_if(Bindings, [Serial](const binding &B) { return B.Serial == Serial; });
  Latest = {0, nullptr, 0};
}

[[gnu::noinline]] const binding &look(std::uint64_t Serial) {
  const binding *Found = find(Serial);
  if (!Found)
    throw std::logic_error("this thread has not called manager::attach_thread");
  return Latest = *Found;
}

const binding &require(std::uint64_t Serial) { return Latest.Serial == Serial ? Latest : look(Serial); }

} // namespace

/// Out of the header: who looks at a client alone need not ask whether its bytes may be a mutex's.
struct manager::losses {
  struct loss {
    node_id Who;
    const char *How;
    bool Left;
  };
  std::mutex Lock;
  std::optional<loss> First;
};

manager::manager(const std::map<node_id, std::string> &Hosts, node_id Me, const options &Given)
    : Me(Me), Nodes(static_cast<unsigned>(Hosts.size())), Options(Given), Losses(std::make_unique<losses>()),
      Serial(NextSerial++), Unwinding(std::uncaught_exceptions()) {
  Members = std::make_unique<membership>(*this);
  Members->start(Hosts);
}

manager::~manager() {
  bool Unwinds = std::uncaught_exceptions() > Unwinding;
  bool Early = Members->Failed || Unwinds || health() == status::peer_lost;
  if (Early)
    Members->passOn();
  if (!Early) {
    for (auto &E : Members->Attached)
      (void)E->fence(all()); // what was posted and not waited for arrives
    Members->sayGoodbye(Options.leave);
  }
  forget(Serial);
}

void manager::wait_for_ready(std::chrono::milliseconds Timeout) { Members->waitForReady(Timeout); }

void manager::requireUnattached() const {
  if (find(Serial))
    throw std::logic_error("this thread is attached already");
}

void manager::bind(unsigned Index) {
  requireUnattached();
  auto Own = make_endpoint();
  Bindings.push_back({Serial, Own.get(), Index});
  std::lock_guard Guard(Members->Lock);
  Members->Attached.push_back(std::move(Own));
}

/// The number is taken before there is an endpoint, which takes a while to connect.
void manager::bindNumber(unsigned Index) {
  requireUnattached();
  {
    std::lock_guard Guard(Members->Lock);
    std::vector<bool> &Numbers = Members->Numbers;
    Numbers.resize(Options.threads);
    if (Index == helper)
      Index = static_cast<unsigned>(std::find(Numbers.begin(), Numbers.end(), false) - Numbers.begin());
    if (Index >= Options.threads)
      throw error("thread " + std::to_string(Index) + " is one too many: options::threads is " +
                  std::to_string(Options.threads));
    if (Numbers[Index])
      throw error("thread " + std::to_string(Index) + " is attached already");
    Numbers[Index] = true;
  }
  try {
    bind(Index);
  } catch (...) {
    std::lock_guard Guard(Members->Lock);
    Members->Numbers[Index] = false;
    throw;
  }
}

void manager::attach_thread() { bindNumber(helper); }

void manager::attach_thread(unsigned Index) {
  if (Index == helper)
    throw error("a helper has a call of its own");
  bindNumber(Index);
}

void manager::attach_helper() { bind(helper); }

void manager::detach_thread() {
  const binding B = require(Serial);
  std::unique_ptr<endpoint> Own;
  {
    std::lock_guard Guard(Members->Lock);
    for (auto &E : Members->Attached)
      if (E.get() == B.Endpoint)
        Own = std::move(E);
    std::erase(Members->Attached, nullptr);
  }
  forget(Serial);
  Own.reset(); // what was posted arrives before the next thread of this number posts anything
  std::lock_guard Guard(Members->Lock);
  if (B.Index != helper)
    Members->Numbers[B.Index] = false;
}

endpoint &manager::here() { return *require(Serial).Endpoint; }
unsigned manager::thread_index() { return require(Serial).Index; }

void manager::stop() {
  status Expected = status::ok;
  Health.compare_exchange_strong(Expected, status::stopped);
}

void manager::give_up(const std::string &Why) {
  if (health() == status::peer_lost) // the others know, and need no second reason
    return;
  Members->giveUp(Why);
  stop(); // a wait that ends finds the reason
}

std::string manager::why() const {
  std::lock_guard Guard(Members->Lock);
  if (!Members->GivenUp.empty() || health() != status::peer_lost)
    return Members->GivenUp;
  std::lock_guard First(Losses->Lock);
  const auto &Loss = Losses->First;
  std::string Who = "node " + std::to_string(Loss->Who);
  return Loss->How ? "an operation towards " + Who + " failed: " + Loss->How
                   : Who + (Loss->Left ? " has left" : " is gone");
}

void manager::lose(node_id Who, const char *How, bool Left) {
  {
    std::lock_guard Guard(Losses->Lock);
    if (!Losses->First)
      Losses->First = {Who, How, Left};
  }
  Health.store(status::peer_lost); // whoever sees that finds the reason
}

node_id manager::lost() const {
  std::lock_guard Guard(Losses->Lock);
  return Losses->First ? Losses->First->Who : error::no_peer;
}

region manager::allocate(std::size_t Size) {
  std::lock_guard Guard(Members->Lock);
  std::size_t Left = Members->ArenaSize - Members->ArenaUsed;
  std::size_t Rounded = Size > Left ? Size : (Size + line_size - 1) / line_size * line_size;
  if (Rounded > Left)
    throw error("no memory left for " + std::to_string(Size) + " bytes: options::memory is " +
                std::to_string(Options.memory));
  region R = {Members->Arena + Members->ArenaUsed, Size};
  Members->ArenaUsed += Rounded;
  return R;
}

void rest(std::uint64_t Turn) {
  constexpr std::uint64_t Yields = 200, LongestMicroseconds = 100;
  if (Turn < Yields)
    sched_yield();
  else
    std::this_thread::sleep_for(
        std::chrono::microseconds(std::min<std::uint64_t>(Turn - Yields + 1, LongestMicroseconds)));
}

status waiting::step() {
  constexpr unsigned Spins = 16, Polls = 4, PollsBeforeRest = 16;
  ++Turn;
  if (Turn % Polls == 0)
    Endpoint.poll();
  if (Turn > Spins) {
    for (unsigned I = 0; I < PollsBeforeRest; ++I)
      Endpoint.poll();
    rest(Turn - Spins);
  }
  return Manager.health();
}

status waiting::back_off(std::uint64_t Distance) {
  for (std::uint64_t I = 1; I < std::min<std::uint64_t>(Distance, 16); ++I)
    sched_yield();
  return step();
}

} // namespace rdma::objects
