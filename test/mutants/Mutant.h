// Which mutant of the order tables or of the NIC rules is on. Only the copies that test/mutants/generate.py
// makes of those files know of this.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace rdma::mutant {

/// From the environment, RDMA_MUTANT: "oppo EARLIER LATER CELL" or "ippo EARLIER LATER CELL" with event kinds
/// by number and the cell's letter, or "nic NUMBER". Nothing: none.
inline const char *name() {
  const char *Name = std::getenv("RDMA_MUTANT");
  return Name ? Name : "";
}

/// A cell of a table that is on in place of the one written there.
struct Cell {
  bool Issued = false;
  int Earlier = -1, Later = -1;
  char Value = '-';
};

inline Cell cellFromEnvironment() {
  Cell C;
  char Table = 0;
  if (std::sscanf(name(), "%cppo %d %d %c", &Table, &C.Earlier, &C.Later, &C.Value) != 4)
    return {};
  C.Issued = Table == 'i';
  return C;
}
inline Cell &cell() {
  static Cell On = cellFromEnvironment();
  return On;
}

/// The NIC mutant that is on; -1 for none.
inline int &rule() {
  static int On = std::strncmp(name(), "nic ", 4) == 0 ? std::atoi(name() + 4) : -1;
  return On;
}
inline bool on(int Number) { return rule() == Number; }

} // namespace rdma::mutant
