#include "analyzer/report/Texts.h"

#include "ir/Words.h"

#include <array>

namespace rdma {
namespace {

constexpr TextEntry Registry[] = {
#define TEXT(Id, Words) {#Id, Words},
#include "analyzer/report/Texts.def"
#undef TEXT
};

using enum TextId;
// In the order of EventKind: lR lW CAS F P nlR nrW narR narW nrR nlW nF. Fences and polls access nothing, and
// no access of the CPU but a store is ever open; their entries are never asked for.
constexpr std::array<TextId, NumEventKinds> Early = {
    EarlyLoad,  EarlyStore,      EarlyRmw,         EarlyLoad, EarlyLoad,     EarlySourceRead,
    EarlyWrite, EarlyAtomicRead, EarlyAtomicWrite, EarlyRead, EarlyDelivery, EarlyLoad};
constexpr std::array<TextId, NumEventKinds> Unfinished = {
    UnseenStore,           UnseenStore,          UnseenStore,        UnseenStore,
    UnseenStore,           UnfinishedSourceRead, UnfinishedWrite,    UnfinishedAtomicRead,
    UnfinishedAtomicWrite, UnfinishedRead,       UnfinishedDelivery, UnseenStore};
constexpr std::array<TextId, NumEventKinds> Here = {StoredHere, StoredHere,     StoredHere,    StoredHere,
                                                    StoredHere, SourceReadHere, WrittenHere,   AtomicHere,
                                                    AtomicHere, FetchedHere,    DeliveredHere, StoredHere};

} // namespace

std::span<const TextEntry> allTexts() { return Registry; }

std::string text(TextId Id, const std::vector<std::string> &Names) {
  return fillIn(Registry[static_cast<unsigned>(Id)].Words, Names);
}

TextId tooEarly(EventKind Later) { return Early[static_cast<unsigned>(Later)]; }
TextId notYet(EventKind Earlier) { return Unfinished[static_cast<unsigned>(Earlier)]; }
TextId doneHere(EventKind Earlier) { return Here[static_cast<unsigned>(Earlier)]; }

} // namespace rdma
