#include "rdma/objects/vars.h"

namespace rdma::objects {

namespace {

/// Multiplies to 128 bits and folds: every bit of the result depends on every bit of both.
word fold(word A, word B) {
  unsigned __int128 Product = static_cast<unsigned __int128>(A) * B;
  return static_cast<word>(Product) ^ static_cast<word>(Product >> 64);
}

} // namespace

word hash_words(const word *Data, std::size_t Count, word Seed) {
  constexpr word Step = 0x9e3779b97f4a7c15, Odd = 0xd6e8feb86659fd93;
  word Hash = fold(Seed ^ Step, Odd + Count);
  for (std::size_t I = 0; I < Count; ++I)
    Hash = fold(Hash ^ Data[I] ^ Odd, Step * (I + 1) | 1) + (Data[I] ^ (Hash << 1));
  return fold(Hash, Odd) ^ Hash;
}

atomic_var::atomic_var(std::string Name, manager &Manager, node_id Host)
    : channel(std::move(Name), Manager), Host(Host) {
  require_atomics(*this);
  agree("host of the variable", Host);
  if (me() == Host)
    own("x", sizeof(word));
  At = &other(Host, "x", sizeof(word));
  join();
}

// An addition of nothing: a get may miss an addition of another thread that has completed but not landed.
status atomic_var::load(word &Value) { return fetch_add(0, Value); }

status atomic_var::fetch_add(word By, word &Old) {
  endpoint &Here = owner().here();
  return Here.fetch_add(Old, *At, By);
}

status atomic_var::compare_exchange(word &Expected, word Desired, bool &Done) {
  return owner().here().compare_exchange(Expected, *At, Desired, Done);
}

status atomic_var::store(word Value) {
  endpoint &Here = owner().here();
  word Seen = 0;
  for (bool Done = false; !Done;)
    if (status S = Here.compare_exchange(Seen, *At, Value, Done); S != status::ok)
      return S;
  return status::ok;
}

} // namespace rdma::objects
