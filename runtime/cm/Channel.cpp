// Event channels and their events.
#include "runtime/cm/Id.h"
#include "runtime/device/Gid.h"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <new>
#include <poll.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

namespace rdma::cm {

namespace {

std::set<Channel *> &theChannels() {
  static auto *The = new std::set<Channel *>; // never destroyed: threads may still run when the process exits
  return *The;
}

void add(int Set, int Fd, void *Who) {
  epoll_event Interest = {EPOLLIN, {.ptr = Who}};
  epoll_ctl(Set, EPOLL_CTL_ADD, Fd, &Interest);
}

void beforeFork() { theLock().lock(); }
void afterForkInParent() { theLock().unlock(); }
/// The child has the same descriptors, but neither the node nor its queue pairs: what is connected ends here,
/// what listens goes on in both, as with any socket.
void afterForkInChild() {
  for (Channel *Each : theChannels())
    Each->replaceInChild();
  new (&acknowledged()) std::condition_variable;
  theLock().unlock();
}

/// The last that were destroyed. A thread may ask for an event while another destroys the channel, as rping
/// does at its end, or just after.
void bury(Channel *C) {
  static auto *Late = new std::deque<Channel *>;
  Late->push_back(C);
  if (Late->size() <= 64 || Late->front()->Waiters)
    return;
  delete Late->front();
  Late->pop_front();
}

void removeFrom(std::deque<Event *> &Events, const Id *Of) {
  for (Event *&E : Events)
    if (E->Counted == Of || E->Base.id == &Of->Base)
      delete std::exchange(E, nullptr);
  std::erase(Events, nullptr);
}

} // namespace

std::mutex &theLock() {
  static auto *The = new std::mutex;
  return *The;
}

std::condition_variable &acknowledged() {
  static auto *The = new std::condition_variable;
  return *The;
}

int failed(int Error) {
  errno = Error;
  return -1;
}

bool Channel::open() {
  int Set = epoll_create1(EPOLL_CLOEXEC);
  Timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
  if (Set < 0 || Timer < 0) {
    int Error = errno;
    close(Set);
    close(Timer);
    errno = Error;
    return false;
  }
  if (Base.fd >= 0) {
    int Flags = fcntl(Base.fd, F_GETFL);
    dup3(Set, Base.fd, O_CLOEXEC);
    close(Set);
    fcntl(Base.fd, F_SETFL, Flags);
  } else {
    Base.fd = Set;
  }
  add(Base.fd, Timer, nullptr);
  return true;
}

Channel *Channel::create() {
  static int Once = pthread_atfork(beforeFork, afterForkInParent, afterForkInChild);
  (void)Once;
  auto *C = new Channel;
  if (!C->open()) {
    delete C;
    return nullptr;
  }
  theChannels().insert(C);
  return C;
}

void Channel::destroy() {
  for (Id *Each : Ids) {
    Each->closeSocket();
    Each->Events = nullptr;
    if (Each->Listener) // nobody else knows it
      delete Each;
  }
  for (Event *Each : Waiting)
    delete Each;
  Waiting.clear();
  Ids.clear();
  Alarms.clear();
  theChannels().erase(this);
  close(Timer);
  close(Base.fd);
  IsOver = true;
  bury(this);
}

void Channel::replaceInChild() {
  close(Timer);
  if (!open())
    return;
  for (Id *Each : Ids) {
    if (Each->Now == State::Listening)
      add(Base.fd, Each->Socket, Each);
    else if (Each->Socket >= 0 && Each->Now != State::Bound)
      close(std::exchange(Each->Socket, -1));
  }
  arm();
}

void Channel::arm() {
  itimerspec At = {};
  if (!Waiting.empty()) {
    At.it_value.tv_nsec = 1;
  } else if (!Alarms.empty()) {
    auto When = Alarms.begin()->first.time_since_epoch();
    auto Seconds = std::chrono::duration_cast<std::chrono::seconds>(When);
    At.it_value = {Seconds.count(), std::chrono::nanoseconds(When - Seconds).count()};
  }
  timerfd_settime(Timer, TFD_TIMER_ABSTIME, &At, nullptr);
}

Event *Channel::next() {
  for (;;) {
    while (!Alarms.empty() && Alarms.begin()->first <= Clock::now()) {
      Id *Who = Alarms.begin()->second;
      Who->setAlarm(std::nullopt);
      Who->onAlarm();
    }
    if (!Waiting.empty())
      break;
    // One at a time: whoever has something to say may be gone after the turn of another.
    epoll_event Ready;
    if (epoll_wait(Base.fd, &Ready, 1, 0) != 1)
      return nullptr;
    if (Ready.data.ptr)
      static_cast<Id *>(Ready.data.ptr)->onSocket();
    else
      arm(); // an alarm that is over
  }
  Event *E = Waiting.front();
  Waiting.pop_front();
  arm();
  return E;
}

Event *Channel::wait() {
  std::unique_lock Guard(theLock());
  for (;;) {
    if (IsOver) {
      Guard.unlock();
      for (;;)
        pause();
    }
    if (Event *E = next()) {
      if (E->Base.event == RDMA_CM_EVENT_CONNECT_REQUEST && !Id::of(E->Base.id)->introduce()) {
        delete E;
        continue;
      }
      E->Counted->Reported++;
      return E;
    }
    if (fcntl(Base.fd, F_GETFL) & O_NONBLOCK) {
      errno = EAGAIN;
      return nullptr;
    }
    pollfd Poll = {Base.fd, POLLIN, 0};
    ++Waiters;
    Guard.unlock();
    int Ready = poll(&Poll, 1, -1);
    int Error = errno;
    Guard.lock();
    --Waiters;
    if (Ready < 0) {
      errno = Error;
      return nullptr;
    }
  }
}

void Id::setAlarm(std::optional<Clock::time_point> At) {
  if (Alarm && Events)
    Events->Alarms.erase({*Alarm, this});
  Alarm = At;
  if (Alarm && Events)
    Events->Alarms.insert({*Alarm, this});
  if (Events)
    Events->arm();
}

void Id::listenToSocket() { add(Events->Base.fd, Socket, this); }

bool Id::leaveSocket() {
  return Events && Socket >= 0 && epoll_ctl(Events->Base.fd, EPOLL_CTL_DEL, Socket, nullptr) == 0;
}

void Id::closeSocket() {
  if (Socket < 0)
    return;
  // Not by closing alone: a child may have the same socket.
  leaveSocket();
  close(std::exchange(Socket, -1));
}

void Id::moveTo(Channel &To) {
  if (&To == Events)
    return;
  Channel &From = *Events;
  for (Id *Each : unknown())
    Each->moveTo(To);
  auto moves = [this](const Event *E) { return E->Base.id == &Base || E->Counted == this; };
  std::copy_if(From.Waiting.begin(), From.Waiting.end(), std::back_inserter(To.Waiting), moves);
  std::erase_if(From.Waiting, moves);
  auto At = Alarm;
  setAlarm(std::nullopt);
  bool Listens = leaveSocket();
  From.Ids.erase(this);
  From.arm();
  Events = &To;
  Base.channel = &To.Base;
  To.Ids.insert(this);
  if (Listens)
    listenToSocket();
  setAlarm(At);
}

std::vector<Id *> Id::unknown() const {
  std::vector<Id *> Found;
  for (Id *Each : Events->Ids)
    if (Each->Listener == this)
      Found.push_back(Each);
  return Found;
}

bool Id::introduce() {
  if (Listener->Sync) {
    Channel *Own = Channel::create();
    if (!Own) {
      destroy();
      return false;
    }
    moveTo(*Own);
    Sync = true;
  }
  Listener = nullptr;
  return true;
}

void Id::silence() {
  Now = State::Over;
  closeSocket();
  setAlarm(std::nullopt);
  if (!Events)
    return;
  for (Id *Each : unknown())
    Each->destroy();
  removeFrom(Events->Waiting, this);
  Events->arm();
}

void Id::destroy() {
  silence();
  if (Events)
    Events->Ids.erase(this);
  if (Sync)
    Events->destroy();
  delete[] Base.route.path_rec;
  delete this;
}

Event *Id::tell(rdma_cm_event_type Type, int Status, const Message *From, uint8_t PrivateSize) {
  auto *E = new Event;
  E->Counted = this;
  E->Base.id = &Base;
  E->Base.event = Type;
  E->Base.status = Status;
  if (From && isDatagram()) {
    std::copy(std::begin(From->Private), std::end(From->Private), E->Private);
    rdma_ud_param &P = E->Base.param.ud;
    P.private_data = PrivateSize ? E->Private : nullptr;
    P.private_data_len = PrivateSize;
    device::setPath(P.ah_attr, From->Lid);
    P.ah_attr.port_num = Base.port_num;
    P.qp_num = From->QueuePair;
    P.qkey = From->Qkey;
  } else if (From) {
    rdma_conn_param &P = E->Base.param.conn;
    std::copy(std::begin(From->Private), std::end(From->Private), E->Private);
    P.private_data = PrivateSize ? E->Private : nullptr;
    P.private_data_len = PrivateSize;
    // Seen from here: what the other starts, this side answers.
    P.responder_resources = From->InitiatorDepth;
    P.initiator_depth = From->ResponderResources;
    P.flow_control = From->FlowControl;
    P.retry_count = From->RetryCount;
    P.rnr_retry_count = From->RnrRetryCount;
    P.srq = From->SharedReceives;
    P.qp_num = From->QueuePair;
  }
  if (!Events) {
    delete E;
    return nullptr;
  }
  Events->Waiting.push_back(E);
  Events->arm();
  return E;
}

} // namespace rdma::cm

using namespace rdma::cm;

extern "C" {

rdma_event_channel *rdma_create_event_channel() {
  std::lock_guard Guard(theLock());
  Channel *C = Channel::create();
  return C ? &C->Base : nullptr;
}

void rdma_destroy_event_channel(rdma_event_channel *Public) {
  std::lock_guard Guard(theLock());
  Channel::of(Public)->destroy();
}

int rdma_ack_cm_event(rdma_cm_event *Public) {
  if (!Public)
    return failed(EINVAL);
  std::lock_guard Guard(theLock());
  Event *E = Event::of(Public);
  E->Counted->Acknowledged++;
  acknowledged().notify_all();
  delete E;
  return 0;
}
}
