// Random threads on node 1 with branches and loops, towards node 2 (x) and node 3 (u).
#pragma once

#include <random>
#include <string>

namespace rdma {

/// Polls and waits on one queue pair are mixed on purpose: a wait may be on one path only.
inline std::string randomBlock(std::mt19937 &Random, unsigned Depth, bool Named = false) {
  auto Pick = [&](std::initializer_list<const char *> Of) {
    return std::string(*(Of.begin() + Random() % Of.size()));
  };
  std::string Text;
  for (unsigned I = 0, Count = 1 + Random() % 4; I < Count; ++I) {
    std::string Local = Pick({"a", "b"}), Remote = Pick({"x", "x", "u"}), Id = Pick({"", "", " #d", " #e"});
    // Named: over queue pairs that share a completion queue, now and then.
    std::string Via = Named && Random() % 3 ? Remote == "x" ? " via p" : " via q" : "";
    // Some of what one queue pair did may stay out.
    if (Remote == "x" && Via.empty() && Random() % 4 == 0)
      Id = " #f";
    switch (Random() % (Depth == 0 ? 8 : 11)) {
    case 0:
    case 1:
      Text +=
          "put " + Remote + " <- " + Local + Via + (Id.empty() ? Pick({"", "", " unsignaled"}) : Id) + "; ";
      break;
    case 2:
      Text += "get " + Local + " <- " + Remote + Via + Id + Pick({"", " fenced"}) + "; ";
      break;
    case 3:
      Text += Local + " := " + Pick({"a", "b"}) + "; ";
      break;
    case 4:
      Text += Pick({"mfence; ", "rfence(2); "});
      break;
    case 5:
      Text += Pick({"wait(d); ", "wait(e); ", "wait(f, 1); ", "wait(f, 2); "});
      break;
    case 8:
    case 9:
      Text += "choose { " + randomBlock(Random, Depth - 1, Named) + "} or { " +
              (Random() % 2 ? randomBlock(Random, Depth - 1, Named) : "") + "} ";
      break;
    case 10:
      Text += "loop { " + randomBlock(Random, Depth - 1, Named) + "} ";
      break;
    default:
      Text += Named && Random() % 2 ? "poll(c); " : "poll(2); ";
    }
  }
  return Text;
}

} // namespace rdma
