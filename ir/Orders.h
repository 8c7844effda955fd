// The sub-events of RDMA operations and the order that program order gives them.
//
// Rules: ROBUST Fig. 4 and Def. 10, with the remote atomics of SYNC App. D.2. The two tables below are the
// only statement of these orders in the project; the analyser, the explorer and the tests all read them.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace rdma {

/// A sub-event's kind. CPU: read, write, successful compare-and-swap (or any atomic read-modify-write),
/// memory fence, poll. NIC, each on one queue pair: local read, remote write, remote atomic read and write,
/// remote read, local write, remote fence.
enum class EventKind : std::uint8_t { lR, lW, CAS, F, P, nlR, nrW, narR, narW, nrR, nlW, nF };
inline constexpr unsigned NumEventKinds = 12;

/// The CPU model under the NIC: RDMA^SC or RDMA^TSO; `Sc` is sequential consistency without a NIC's weakness
/// (only the explorer uses it).
enum class Model : std::uint8_t { Sc, RdmaSc, RdmaTso };

/// What program order between two sub-events of one thread guarantees.
enum class Order : std::uint8_t {
  None,          ///< nothing
  SameQueuePair, ///< kept when both are on the same queue pair
  Kept           ///< always kept
};

/// oppo: do effects of `Earlier` come before effects of `Later`?
Order observedOrder(Model M, EventKind Earlier, EventKind Later);
/// ippo: is `Earlier` issued before `Later`?
Order issuedOrder(Model M, EventKind Earlier, EventKind Later);

constexpr bool isNic(EventKind K) { return K >= EventKind::nlR; }
/// True for kinds that read their location.
constexpr bool reads(EventKind K) {
  return K == EventKind::lR || K == EventKind::CAS || K == EventKind::nlR || K == EventKind::narR ||
         K == EventKind::nrR;
}
/// True for kinds that write their location.
constexpr bool writes(EventKind K) {
  return K == EventKind::lW || K == EventKind::CAS || K == EventKind::nrW || K == EventKind::narW ||
         K == EventKind::nlW;
}
/// True for kinds that access the memory of the queue pair's target node.
constexpr bool isRemote(EventKind K) {
  return K == EventKind::nrW || K == EventKind::narR || K == EventKind::narW || K == EventKind::nrR;
}

std::string_view name(EventKind K);
std::string_view name(Model M);
std::optional<Model> modelNamed(std::string_view Name);

} // namespace rdma
