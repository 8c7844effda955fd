// Violations of one condition by the million: pairs of numbers, each made whole when it is looked at.
#pragma once

#include "analyzer/core/EventGraph.h"

#include <iterator>
#include <memory>

namespace rdma {

/// The events of all threads by number: in the order of the program, so that a later one has a larger number.
class EventNumbers {
public:
  explicit EventNumbers(const std::vector<EventGraph> &Threads);

  unsigned of(ThreadIndex T, EventId E) const { return Numbers[T][E]; }
  std::size_t size() const { return Refs.size(); }
  const EventRef &operator[](unsigned Number) const { return Refs[Number]; }

private:
  std::vector<std::vector<unsigned>> Numbers; ///< per thread and event; None: not reachable
  std::vector<EventRef> Refs;
};

class Violations {
public:
  /// Events by number; Way: who observes it.
  struct Pair {
    unsigned First, Second, Way = None;
    LostFactId RestsOn = None;
    bool InTurn = false;
    std::uint64_t order() const { return std::uint64_t(First) << 32 | Second; }
  };

  Violations() = default;
  Violations(Rule Broken, std::shared_ptr<const EventNumbers> Events)
      : Broken(Broken), Events(std::move(Events)) {}

  void reserve(std::size_t Size) { Pairs.reserve(Size); }
  void add(Pair P) { Pairs.push_back(P); }
  /// Observers of some violations, to be named when these are added.
  unsigned addWay(Observers Observers) {
    Ways.push_back(std::move(Observers));
    return Ways.size() - 1;
  }

  std::size_t size() const { return Pairs.size(); }
  bool empty() const { return Pairs.empty(); }
  Violation operator[](std::size_t I) const;
  Violation at(std::size_t I) const { return Pairs.at(I), (*this)[I]; }
  Violation front() const { return at(0); }
  operator std::vector<Violation>() const { return {begin(), end()}; }

  /// As numbers: those of one thread after the other, sorted.
  const std::vector<Pair> &pairs() const { return Pairs; }
  const EventNumbers &events() const { return *Events; }
  void setReason(std::size_t I, LostFactId Fact) { Pairs[I].RestsOn = Fact; }
  void setInTurn(std::size_t I, Observers Observers) {
    Pairs[I].Way = addWay(std::move(Observers));
    Pairs[I].InTurn = true;
  }

  class Iterator {
  public:
    using iterator_category = std::input_iterator_tag;
    using value_type = Violation;
    using difference_type = std::ptrdiff_t;
    using pointer = void;
    using reference = Violation;
    Violation operator*() const { return (*All)[At]; }
    Iterator &operator++() {
      ++At;
      return *this;
    }
    Iterator operator++(int) { return {All, At++}; }
    bool operator==(const Iterator &) const = default;

  private:
    friend class Violations;
    Iterator(const Violations *All, std::size_t At) : All(All), At(At) {}
    const Violations *All;
    std::size_t At;
  };
  Iterator begin() const { return {this, 0}; }
  Iterator end() const { return {this, Pairs.size()}; }

private:
  Rule Broken = Rule::Fenced;
  std::shared_ptr<const EventNumbers> Events;
  std::vector<Pair> Pairs;
  std::vector<Observers> Ways;
};

/// Finds pairs that are asked for in order among those of a list.
class InOrder {
public:
  explicit InOrder(const Violations &Among) : Pairs(Among.pairs()) {}
  /// Its place in the list; None when it is not there.
  std::size_t find(const Violations::Pair &Wanted) {
    while (At < Pairs.size() && Pairs[At].order() < Wanted.order())
      ++At;
    return At < Pairs.size() && Pairs[At].order() == Wanted.order() ? At : None;
  }

private:
  const std::vector<Violations::Pair> &Pairs;
  std::size_t At = 0;
};

} // namespace rdma
