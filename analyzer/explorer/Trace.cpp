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

Slot Trace::issue(const EventKey &E) {
  if (Record)
    return Record->issued(E);
  if (!following())
    return NoSlot;
  unsigned Free = std::countr_one(Used);
  if (Free >= 64)
    throw std::length_error("more than 64 events are under way at once");
  if (Free >= Events.size())
    Events.resize(Free + 1);
  Events[Free] = {.Before = Thread[E.Thread], .Leaves = leaving(E), .Second = isSecond(E)};
  Used |= Set(1) << Free;
  if (Watch && E == Watch->First)
    Watched |= Set(1) << Free;
  else
    Thread[E.Thread] |= Set(1) << Free;
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
    Clear(P.Leaves);
  }
  for (auto *Sets : {&Thread, &LastWrite, &Accesses})
    for (Set &In : *Sets)
      Clear(In);
  Events[S] = {};
  Used &= ~bit(S);
  Watched &= ~bit(S);
}

void Trace::found() {
  Weak = true;
  Used = Watched = 0;
  Events.clear();
  Thread.clear();
  LastWrite.clear();
  Accesses.clear();
}

/// From reaches S now, and so everything that S reaches.
void Trace::arrive(Slot S, Set From) {
  if (Watched & bit(S))
    return; // its bit stands for a way that begins with a broken order
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

/// Is the execution found out when S takes effect now? AtLocation: what reaches it by rf, rb or mo.
bool Trace::closes(Slot S, Set AtLocation) const {
  if (Events[S].Torn)
    return true;
  return (Watch ? AtLocation : Events[S].Before | AtLocation) & bit(S);
}

void Trace::tear(Slot Except, unsigned Location, bool BySecond) {
  if (Watch && !(Watch->Torn && BySecond))
    return;
  for (Set Left = Used; Left; Left &= Left - 1) {
    unsigned I = std::countr_zero(Left);
    bool Asked = !Watch || (Watched & bit(I));
    if (I != Except && Asked && Events[I].Atomic == static_cast<int>(Location))
      Events[I].Torn = true;
  }
}

void Trace::read(Slot S, unsigned Location) {
  if (Record && S != NoSlot)
    return Record->accessed(S, Location, false);
  if (!following() || S == NoSlot)
    return;
  if (closes(S, LastWrite[Location]))
    return found();
  Set From = handedOn(Events[S].Before | LastWrite[Location]);
  arrive(S, From);
  Accesses[Location] |= From | Events[S].Leaves;
  drop(S);
}

void Trace::write(Slot S, unsigned Location) {
  if (Record && S != NoSlot)
    return Record->accessed(S, Location, true);
  if (!following() || S == NoSlot)
    return;
  if (closes(S, Accesses[Location]))
    return found();
  Set From = handedOn(Events[S].Before | Accesses[Location]);
  arrive(S, From);
  Set Readers = Events[S].Readers; // extended by arrive if need be
  tear(S, Location, Events[S].Second);
  From |= Events[S].Leaves;
  LastWrite[Location] = From;
  Accesses[Location] = From | Readers;
  drop(S);
}

void Trace::readNow(const EventKey &E) {
  if (Record)
    return Record->accessed(Record->issued(E), E.Location, false);
  if (!following())
    return;
  Thread[E.Thread] |= LastWrite[E.Location];
  Accesses[E.Location] |= handedOn(Thread[E.Thread]) | leaving(E);
}

void Trace::writeNow(const EventKey &E) {
  if (Record)
    return Record->accessed(Record->issued(E), E.Location, true);
  if (!following())
    return;
  tear(NoSlot, E.Location, isSecond(E));
  Thread[E.Thread] |= Accesses[E.Location];
  LastWrite[E.Location] = Accesses[E.Location] = handedOn(Thread[E.Thread]) | leaving(E);
}

void Trace::readBuffered(const EventKey &E, Slot Write) {
  if (Record)
    return Record->readBuffered(Record->issued(E), Write, E.Location);
  if (!following() || Write == NoSlot)
    return;
  Events[Write].Readers |= handedOn(Thread[E.Thread]) | leaving(E);
}

void Trace::beginAtomic(Slot S, unsigned Location) {
  if (Record)
    return Record->atomicRead(S, Location);
  if (following() && S != NoSlot)
    Events[S].Atomic = Location;
}

} // namespace rdma::explorer
