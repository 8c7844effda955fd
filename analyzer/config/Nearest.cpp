#include "analyzer/config/Nearest.h"

#include <algorithm>
#include <numeric>
#include <vector>

namespace rdma {

static std::size_t distance(std::string_view A, std::string_view B) {
  std::vector<std::size_t> Row(B.size() + 1);
  std::iota(Row.begin(), Row.end(), 0);
  for (std::size_t I = 0; I < A.size(); ++I) {
    std::size_t Diagonal = Row[0];
    Row[0] = I + 1;
    for (std::size_t J = 0; J < B.size(); ++J) {
      std::size_t Above = Row[J + 1];
      Row[J + 1] = std::min({Row[J] + 1, Above + 1, Diagonal + (A[I] != B[J])});
      Diagonal = Above;
    }
  }
  return Row.back();
}

std::string nearest(std::string_view Word, std::span<const std::string> Known) {
  std::string Best;
  std::size_t Least = Word.size() / 3 + 1;
  for (const std::string &Candidate : Known)
    if (std::size_t D = distance(Word, Candidate); D < Least || (D == Least && Best.empty()))
      Best = Candidate, Least = D;
  return Best;
}

bool isSlip(std::string_view Word, std::string_view Meant) {
  return !Meant.empty() && distance(Word, Meant) <= 1 + Word.size() / 8;
}

std::string suggestion(std::string_view Word, std::span<const std::string> Known) {
  std::string Near = nearest(Word, Known);
  return Near.empty() ? "" : "; did you mean '" + Near + "'?";
}

} // namespace rdma
