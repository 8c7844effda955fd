#include "ir/Orders.h"

namespace rdma {
namespace {

using Table = std::array<std::string_view, NumEventKinds>;

// Row: earlier in program order; column: later, in the order of EventKind:
//   lR lW CAS F P | nlR nrW narR narW nrR nlW nF
// y: kept; q: kept on the same queue pair; -: not kept; s: kept under RDMA^SC only.
constexpr Table Oppo = {
    "yyyyy"
    "yyyyyyy", // lR
    "syyys"
    "yyyyyyy", // lW
    "yyyyy"
    "yyyyyyy", // CAS
    "yyyyy"
    "yyyyyyy", // F
    "yyyyy"
    "yyyyyyy", // P
    "-----"
    "qqqqqqq", // nlR
    "-----"
    "-qqqqq-", // nrW
    "-----"
    "-qqqqqq", // narR
    "-----"
    "-qqqq--", // narW
    "-----"
    "-----qq", // nrR
    "-----"
    "-----q-", // nlW
    "-----"
    "qqqqqqq", // nF
};

// ippo differs in six cells: lW before lR and P; nrW, narW and nlW before nF; narW before nlW.
constexpr Table Ippo = {
    "yyyyy"
    "yyyyyyy", // lR
    "yyyyy"
    "yyyyyyy", // lW
    "yyyyy"
    "yyyyyyy", // CAS
    "yyyyy"
    "yyyyyyy", // F
    "yyyyy"
    "yyyyyyy", // P
    "-----"
    "qqqqqqq", // nlR
    "-----"
    "-qqqqqq", // nrW
    "-----"
    "-qqqqqq", // narR
    "-----"
    "-qqqqqq", // narW
    "-----"
    "-----qq", // nrR
    "-----"
    "-----qq", // nlW
    "-----"
    "qqqqqqq", // nF
};

Order cell(const Table &T, Model M, EventKind Earlier, EventKind Later) {
  if (M == Model::Sc)
    return Order::Kept;
  switch (T[static_cast<unsigned>(Earlier)][static_cast<unsigned>(Later)]) {
  case 'y':
    return Order::Kept;
  case 'q':
    return Order::SameQueuePair;
  case 's':
    return M == Model::RdmaSc ? Order::Kept : Order::None;
  default:
    return Order::None;
  }
}

constexpr std::array<std::string_view, NumEventKinds> KindNames = {"lR",  "lW",   "CAS",  "F",   "P",   "nlR",
                                                                   "nrW", "narR", "narW", "nrR", "nlW", "nF"};
constexpr std::array<std::string_view, 3> ModelNames = {"sc", "rdma-sc", "rdma-tso"};

} // namespace

Order observedOrder(Model M, EventKind Earlier, EventKind Later) { return cell(Oppo, M, Earlier, Later); }
Order issuedOrder(Model M, EventKind Earlier, EventKind Later) { return cell(Ippo, M, Earlier, Later); }

std::string_view name(EventKind K) { return KindNames[static_cast<unsigned>(K)]; }
std::string_view name(Model M) { return ModelNames[static_cast<unsigned>(M)]; }

std::optional<Model> modelNamed(std::string_view Name) {
  for (unsigned I = 0; I < ModelNames.size(); ++I)
    if (ModelNames[I] == Name)
      return static_cast<Model>(I);
  return std::nullopt;
}

} // namespace rdma
