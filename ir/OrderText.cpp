#include "ir/OrderText.h"

namespace rdma {
namespace {

char letter(Order O) { return O == Order::Kept ? 'y' : O == Order::SameQueuePair ? 'q' : '-'; }

void appendTable(std::string &To, Order (*Of)(Model, EventKind, EventKind), Model M) {
  constexpr std::size_t Width = 6;
  auto cell = [&](std::string_view Text) { To.append(Text).append(Width - Text.size(), ' '); };
  auto kind = [](unsigned K) { return static_cast<EventKind>(K); };
  auto endRow = [&] { To.erase(To.find_last_not_of(' ') + 1).push_back('\n'); };
  cell("");
  for (unsigned Later = 0; Later < NumEventKinds; ++Later)
    cell(name(kind(Later)));
  endRow();
  for (unsigned Earlier = 0; Earlier < NumEventKinds; ++Earlier) {
    cell(name(kind(Earlier)));
    for (unsigned Later = 0; Later < NumEventKinds; ++Later)
      cell(std::string(1, letter(Of(M, kind(Earlier), kind(Later)))));
    endRow();
  }
}

} // namespace

std::string ordersAsText(Model M) {
  std::string Text(name(M));
  Text += ": row earlier, column later in program order; y kept, q kept on one queue pair, - not kept\n\n"
          "observed (oppo)\n";
  appendTable(Text, observedOrder, M);
  Text += "\nissued (ippo)\n";
  appendTable(Text, issuedOrder, M);
  return Text;
}

} // namespace rdma
