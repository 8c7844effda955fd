#include "ir/Orders.h"

#include <gtest/gtest.h>

#include <map>
#include <sstream>

using namespace rdma;

namespace {

// The published table, written down a second time in another form: what each kind is not ordered before, and
// why. Everything of the CPU is ordered before everything, but a write before a read or poll under TSO.
TEST(Orders, CpuEventsAreKeptButForStoreBuffering) {
  for (EventKind E : {EventKind::lR, EventKind::lW, EventKind::CAS, EventKind::F, EventKind::P})
    for (unsigned L = 0; L < NumEventKinds; ++L) {
      auto Later = static_cast<EventKind>(L);
      bool Buffered = E == EventKind::lW && (Later == EventKind::lR || Later == EventKind::P);
      EXPECT_EQ(observedOrder(Model::RdmaTso, E, Later), Buffered ? Order::None : Order::Kept);
      EXPECT_EQ(observedOrder(Model::RdmaSc, E, Later), Order::Kept);
      EXPECT_EQ(issuedOrder(Model::RdmaTso, E, Later), Order::Kept);
    }
}

using Row = std::map<EventKind, std::string>;
using enum EventKind;

void expectRows(Order (*Table)(Model, EventKind, EventKind), const Row &Expected) {
  for (auto &[Earlier, Kept] : Expected)
    for (unsigned L = 0; L < NumEventKinds; ++L) {
      auto Later = static_cast<EventKind>(L);
      std::istringstream Words(Kept);
      bool Listed = false;
      for (std::string Word; Words >> Word;)
        Listed |= Word == name(Later);
      for (Model M : {Model::RdmaSc, Model::RdmaTso})
        EXPECT_EQ(Table(M, Earlier, Later), Listed ? Order::SameQueuePair : Order::None)
            << name(Earlier) << " before " << name(Later);
    }
}

TEST(Orders, NicEventsAreObservedInOrderOnTheirQueuePairOnly) {
  expectRows(observedOrder, {{nlR, "nlR nrW narR narW nrR nlW nF"},
                             {nrW, "nrW narR narW nrR nlW"},
                             {narR, "nrW narR narW nrR nlW nF"},
                             {narW, "nrW narR narW nrR"},
                             {nrR, "nlW nF"},
                             {nlW, "nlW"},
                             {nF, "nlR nrW narR narW nrR nlW nF"}});
}

TEST(Orders, IssueOrderAddsFencesAndTheDeliveryOfAtomics) {
  expectRows(issuedOrder, {{nlR, "nlR nrW narR narW nrR nlW nF"},
                           {nrW, "nrW narR narW nrR nlW nF"},
                           {narR, "nrW narR narW nrR nlW nF"},
                           {narW, "nrW narR narW nrR nlW nF"},
                           {nrR, "nlW nF"},
                           {nlW, "nlW nF"},
                           {nF, "nlR nrW narR narW nrR nlW nF"}});
}

TEST(Orders, ModelsHaveNames) {
  for (Model M : {Model::Sc, Model::RdmaSc, Model::RdmaTso})
    EXPECT_EQ(modelNamed(name(M)), M);
  EXPECT_EQ(modelNamed("tso"), std::nullopt);
}

} // namespace
