#include "analyzer/clang/memory/Worklist.h"

#include <algorithm>

namespace rdma::clang_ir {
namespace {

/// Adds to a list in which each is to be there once; looking for it every time would take long.
template <typename List, typename Item, typename Count>
void addOnce(List &All, const Item &New, Count &Distinct) {
  constexpr std::size_t Few = 16;
  if (!All.empty() && All.back() == New)
    return;
  if (All.size() < Few && std::find(All.begin(), All.end(), New) != All.end())
    return;
  All.push_back(New);
  if (All.size() < Few || All.size() < 2 * Distinct)
    return;
  std::sort(All.begin(), All.end());
  All.erase(std::unique(All.begin(), All.end()), All.end());
  Distinct = All.size();
}

} // namespace

std::optional<Step> Worklist::takeAsked() {
  if (!AskedCount)
    return std::nullopt;
  int Last = AskedDue.find_last_in(0, std::min<unsigned>(Cursor, AskedDue.size()));
  if (Last < 0)
    Last = AskedDue.find_last();
  AskedDue.reset(Last);
  --AskedCount;
  Cursor = Last;
  return Asked | static_cast<Step>(Last);
}

void Readers::add(Step Reader) { addOnce(Steps, Reader, Distinct); }

void Readers::wake(Worklist &All) {
  for (Step S : Steps)
    All.wake(S);
  Steps.clear();
  Distinct = 0;
}

void ByteReaders::add(std::int64_t Begin, std::int64_t End, Step Reader) {
  addOnce(Reads, Read{Begin, End, Reader}, Distinct);
}

void ByteReaders::wake(std::int64_t Begin, std::int64_t End, Worklist &All) {
  auto Woken = [&](const Read &R) {
    bool Meets = R.Begin < End && Begin < R.End;
    if (Meets)
      All.wake(R.Reader);
    return Meets;
  };
  Reads.erase(std::remove_if(Reads.begin(), Reads.end(), Woken), Reads.end());
  Distinct = 0;
}

} // namespace rdma::clang_ir
