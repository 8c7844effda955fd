// Arguments of the form --name=number.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>

namespace rdma::load {

struct Argument {
  const char *Name; ///< with the sign of equality
  uint64_t &To;
  uint64_t Least, Most;
};

/// Ends the program with status 2 and two lines when one cannot be read.
inline void readArguments(int Count, char **Given, const char *Program,
                          std::initializer_list<Argument> Known) {
  for (int I = 1; I < Count; ++I) {
    bool Good = false;
    for (const Argument &K : Known) {
      size_t Length = strlen(K.Name);
      if (strncmp(Given[I], K.Name, Length) != 0)
        continue;
      char *End = nullptr;
      K.To = strtoull(Given[I] + Length, &End, 10);
      Good = Given[I][Length] && !*End && K.To >= K.Least && K.To <= K.Most;
    }
    if (Good)
      continue;
    fprintf(stderr, "%s: error: %s\nusage: %s", Program, Given[I], Program);
    for (const Argument &K : Known)
      fprintf(stderr, " [%sN]", K.Name);
    fputc('\n', stderr);
    exit(2);
  }
}

} // namespace rdma::load
