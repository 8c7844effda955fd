#include "analyzer/explorer/Trace.h"

#include <bit>
#include <stdexcept>

namespace rdma::explorer {

namespace {
Trace::Set bit(Slot S) { return Trace::Set(1) << S; }
} // namespace

void Trace::start(unsigned Threads, unsigned Locations) {
  On = true;
  Thread.assign(Threads, 0);
  LastWrite.assign(Locations, 0);
  Accesses.assign(Locations, 0);
}

Slot Trace::issue(unsigned InThread) {
  if (Record)
    return Record->issued(InThread);
  if (!following())
    return NoSlot;
  unsigned Free = std::countr_one(Used);
  if (Free >= 64)
    throw std::length_error("more than 64 events are under way at once");
  if (Free >= Events.size())
    Events.resize(Free + 1);
  Events[Free] = {.Before = Thread[InThread]};
  Used |= Set(1) << Free;
  Thread[InThread] |= Set(1) << Free;
  return Free;
}

void Trace::drop(Slot S) {
  if (Record)
    return Record->dropped(S);
  if (!following())
    return;
  auto Clear = [&](Set &In) { In &= ~bit(S); };
  for (Set Left = Used; Left; Left &= Left - 1) {
    Pending &P = Events[std::countr_zero(Left)];
    Clear(P.Before);
    Clear(P.Readers);
  }
  for (auto *Sets : {&Thread, &LastWrite, &Accesses})
    for (Set &In : *Sets)
      Clear(In);
  Events[S] = {};
  Used &= ~bit(S);
}

void Trace::found() {
  Weak = true;
  Used = 0;
  Events.clear();
  Thread.clear();
  LastWrite.clear();
  Accesses.clear();
}

/// From reaches S now, and so everything that S reaches.
void Trace::arrive(Slot S, Set From) {
  auto Extend = [&](Set &In) {
    if (In & bit(S))
      In |= From;
  };
  for (Set Left = Used; Left; Left &= Left - 1) {
    Pending &P = Events[std::countr_zero(Left)];
    Extend(P.Before);
    Extend(P.Readers);
  }
  for (auto *Sets : {&Thread, &LastWrite, &Accesses})
    for (Set &In : *Sets)
      Extend(In);
}

void Trace::tear(Slot Except, unsigned Location) {
  for (Set Left = Used; Left; Left &= Left - 1) {
    unsigned I = std::countr_zero(Left);
    if (I != Except && Events[I].Atomic == static_cast<int>(Location))
      Events[I].Torn = true;
  }
}

void Trace::read(Slot S, unsigned Location) {
  if (Record && S != NoSlot)
    return Record->accessed(S, Location, false);
  if (!following() || S == NoSlot)
    return;
  Set From = Events[S].Before | LastWrite[Location];
  if (From & bit(S))
    return found();
  arrive(S, From);
  Accesses[Location] |= From;
  drop(S);
}

void Trace::write(Slot S, unsigned Location) {
  if (Record && S != NoSlot)
    return Record->accessed(S, Location, true);
  if (!following() || S == NoSlot)
    return;
  Set From = Events[S].Before | Accesses[Location];
  if ((From & bit(S)) || Events[S].Torn)
    return found();
  arrive(S, From);
  Set Readers = Events[S].Readers; // extended by arrive if need be
  tear(S, Location);
  LastWrite[Location] = From;
  Accesses[Location] = From | Readers;
  drop(S);
}

void Trace::readNow(unsigned InThread, unsigned Location) {
  if (Record)
    return Record->accessed(Record->issued(InThread), Location, false);
  if (!following())
    return;
  Thread[InThread] |= LastWrite[Location];
  Accesses[Location] |= Thread[InThread];
}

void Trace::writeNow(unsigned InThread, unsigned Location) {
  if (Record)
    return Record->accessed(Record->issued(InThread), Location, true);
  if (!following())
    return;
  tear(NoSlot, Location);
  Thread[InThread] |= Accesses[Location];
  LastWrite[Location] = Accesses[Location] = Thread[InThread];
}

void Trace::readBuffered(unsigned InThread, Slot Write, unsigned Location) {
  if (Record)
    return Record->readBuffered(Record->issued(InThread), Write, Location);
  if (!following() || Write == NoSlot)
    return;
  Events[Write].Readers |= Thread[InThread];
}

void Trace::beginAtomic(Slot S, unsigned Location) {
  if (Record)
    return Record->atomicRead(S, Location);
  if (following() && S != NoSlot)
    Events[S].Atomic = Location;
}

} // namespace rdma::explorer
