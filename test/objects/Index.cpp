// The table in which a node of the key-value store finds its keys, against the standard library's, with
// hashes as they may be: spread, the number itself, the same for many or for all.
#include "rdma/objects/index.h"
#include "test/objects/Group.h"

#include <unordered_map>

namespace rdma::objects::test {

namespace {

struct spread {
  std::size_t operator()(word K) const { return K * 0xff51afd7ed558ccd; }
};
struct itself {
  std::size_t operator()(word K) const { return K; }
};
struct alike {
  std::size_t operator()(word K) const { return K % 3; }
};
struct constant {
  std::size_t operator()(word) const { return 7; }
};

template <class Hash> void compare(const plan &Plan, word Step) {
  std::mt19937_64 Draw(Plan.Seed);
  kv_index<word, Hash> Ours;
  std::unordered_map<word, kv_place> Right;
  CHECK(!Ours.find(0) && Ours.size() == 0 && Ours.keys().empty());
  Ours.erase(0);
  for (std::uint64_t I = 1; I <= Plan.Rounds * 100; ++I) {
    word Key = Draw() % 60 * Step;
    kv_place Place = {static_cast<node_id>(Draw() % max_nodes), Draw() % (std::size_t(1) << 50), I};
    if (bool Grows = I / 500 % 2 == 0; Draw() % 4 < (Grows ? 3 : 1)) {
      Ours.set(Key, Place);
      Right[Key] = Place;
    } else {
      Ours.erase(Key);
      Right.erase(Key);
    }
    word Asked = Draw() % 60 * Step;
    std::optional<kv_place> Found = Ours.find(Asked);
    auto There = Right.find(Asked);
    CHECK(Found.has_value() == (There != Right.end()));
    CHECK(!Found || (Found->Node == There->second.Node && Found->Slot == There->second.Slot &&
                     Found->Counter == There->second.Counter));
    CHECK(Ours.size() == Right.size());
  }
  std::vector<word> Keys = Ours.keys();
  CHECK(Keys.size() == Right.size());
  for (word Key : Keys)
    CHECK(Right.erase(Key) == 1);
}

bool index(const plan &Plan) {
  for (word Step : {word(1), word(1) << 10, word(1) << 40, word(0x10001)}) {
    compare<spread>(Plan, Step);
    compare<itself>(Plan, Step);
    compare<alike>(Plan, Step);
    compare<constant>(Plan, Step);
  }
  return true;
}

add A("index", std::function<bool(const plan &)>(index));

} // namespace

} // namespace rdma::objects::test
