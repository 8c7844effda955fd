// One of some ranks of Gloo over its transport for InfiniBand: sums and broadcasts, each value checked.
// gloo FOLDER RANKS RANK
#include <gloo/allreduce_ring_chunked.h>
#include <gloo/barrier_all_to_all.h>
#include <gloo/broadcast_one_to_all.h>
#include <gloo/rendezvous/context.h>
#include <gloo/rendezvous/file_store.h>
#include <gloo/transport/ibverbs/device.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <unistd.h>
#include <vector>

int main(int, char **Arguments) {
  const int Ranks = atoi(Arguments[2]), Rank = atoi(Arguments[3]);
  gloo::transport::ibverbs::attr Which = {"rdma_emulated0", 1, 0};
  auto Device = gloo::transport::ibverbs::CreateDevice(Which);
  gloo::rendezvous::FileStore Store(Arguments[1]);
  auto All = std::make_shared<gloo::rendezvous::Context>(Rank, Ranks);
  All->connectFullMesh(Store, Device);
  std::vector<long> Values(5000);
  gloo::AllreduceRingChunked<long> Sum(All, {Values.data()}, static_cast<int>(Values.size()));
  gloo::BroadcastOneToAll<long> Broadcast(All, {Values.data()}, static_cast<int>(Values.size()), Ranks - 1);
  gloo::BarrierAllToAll Barrier(All);
  int Wrong = 0;
  for (int Round = 0; Round < 50; ++Round) {
    for (size_t I = 0; I < Values.size(); ++I)
      Values[I] = Rank + Round + long(I);
    Sum.run();
    for (size_t I = 0; I < Values.size(); ++I)
      Wrong += Values[I] != Ranks * (Ranks - 1) / 2 + Ranks * (Round + long(I));
    for (size_t I = 0; I < Values.size(); ++I)
      Values[I] = Rank * 1000 + Round;
    Broadcast.run();
    for (long Value : Values)
      Wrong += Value != (Ranks - 1) * 1000 + Round;
    Barrier.run();
  }
  // The last message of one that ends may not have left; and Gloo's destructors end a program that has not
  // heard of its last send.
  std::vector<std::string> Ends;
  for (int I = 0; I < Ranks; ++I)
    Ends.push_back("end" + std::to_string(I));
  Store.set(Ends[static_cast<size_t>(Rank)], {'!'});
  Store.wait(Ends);
  printf("%d ranks, %d wrong values\n", Ranks, Wrong);
  fflush(stdout);
  _exit(Wrong != 0);
}
