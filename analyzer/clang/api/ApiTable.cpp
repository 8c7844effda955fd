#include "analyzer/clang/api/ApiTable.h"
#include "analyzer/clang/api/ApiRows.h"

#include <algorithm>
#include <string>
#include <unordered_map>

namespace rdma::clang_ir {

bool posts(Api What) {
  switch (What) {
  case Api::PostSend:
  case Api::PostRecv:
  case Api::CmPost:
  case Api::CmPostRecv:
  case Api::WrComplete:
  case Api::OtherPost:
    return true;
  default:
    return false;
  }
}

bool polls(Api What) {
  return What == Api::PollCq || What == Api::StartPoll || What == Api::CmPoll || What == Api::CmPollRecv;
}

bool endsQueuePair(const ApiRow &Row) {
  return Row.Name == "ibv_destroy_qp" || Row.Name == "rdma_destroy_qp" || Row.Name == "rdma_destroy_ep";
}

bool mayEndQueuePairs(const ApiRow &Row) {
  return endsQueuePair(Row) || Row.Name == "ibv_modify_qp" || Row.Name == "ibv_close_device" ||
         Row.Name == "rdma_destroy_id" || Row.Name == "rdma_disconnect";
}

bool isOfSystem(const ApiRow &Row) {
  auto All = rowsOfSystem();
  return std::any_of(All.begin(), All.end(), [&](const ApiRow &Other) { return &Other == &Row; });
}

bool makesException(const ApiRow &Row) {
  auto makes = [&](std::string_view Class) { return Row.Name.find(Class) != Row.Name.npos; };
  return Row.Name.substr(0, 5) == "_ZNSt" &&
         (makes("_errorC1E") || makes("invalid_argumentC1E") || makes("out_of_rangeC1E"));
}

/// What makes or ends a part of an object does to it what it does to a whole one.
static std::string ofWholeObject(std::string_view Symbol) {
  std::string Whole(Symbol);
  for (std::string_view Part : {"C2E", "D2E"})
    if (const std::size_t At = Whole.find(Part); At != std::string::npos)
      Whole[At + 1] = '1';
  return Whole;
}

const ApiRow *apiOf(std::string_view Symbol) {
  static const auto ByName = [] {
    std::unordered_map<std::string_view, const ApiRow *> Map;
    for (auto Part : {rowsOfVerbs(), rowsOfThread(), rowsOfSystem(), rowsOfLibrary(), rowsOfStreams()})
      for (const ApiRow &Row : Part)
        Map.emplace(Row.Name, &Row);
    return Map;
  }();
  // The linker numbers local functions of several files: ibv_post_send.3.
  Symbol = Symbol.substr(0, Symbol.find('.'));
  // rdma/order.h redirects verbs calls to functions of its own, with the same meaning.
  static constexpr std::string_view Redirected = "rdma_order_";
  std::string Verbs;
  if (Symbol.substr(0, Redirected.size()) == Redirected)
    Symbol = Verbs = "ibv_" + std::string(Symbol.substr(Redirected.size()));
  auto Found = ByName.find(Symbol);
  if (Found == ByName.end() && Symbol.substr(0, 5) == "_ZNSt")
    Found = ByName.find(ofWholeObject(Symbol));
  return Found == ByName.end() ? nullptr : Found->second;
}

} // namespace rdma::clang_ir
