// The same rows with MPI: Mpi barrier|ring|lock|queue ROUNDS NUMBER. Rank 1 prints operations a second (lock,
// queue: of all ranks together).
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mpi.h>
#include <vector>

using clock_type = std::chrono::steady_clock;

static void ring(long Rounds, std::size_t Number) {
  std::vector<std::vector<long>> Text(Number, std::vector<long>(8));
  std::vector<MPI_Request> Open(Number, MPI_REQUEST_NULL);
  for (long I = 0; I < Rounds; ++I) {
    std::size_t At = static_cast<std::size_t>(I) % Number;
    MPI_Wait(&Open[At], MPI_STATUS_IGNORE);
    MPI_Ibcast(Text[At].data(), 8, MPI_LONG, 0, MPI_COMM_WORLD, &Open[At]);
  }
  MPI_Waitall(static_cast<int>(Number), Open.data(), MPI_STATUSES_IGNORE);
}

static void lock(long Rounds, MPI_Win Window) {
  for (long I = 0; I < Rounds; ++I) {
    long Value = 0;
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, Window);
    MPI_Get(&Value, 1, MPI_LONG, 0, 0, 1, MPI_LONG, Window);
    MPI_Win_flush(0, Window);
    ++Value;
    MPI_Put(&Value, 1, MPI_LONG, 0, 0, 1, MPI_LONG, Window);
    MPI_Win_unlock(0, Window);
  }
}

/// Words 0 and 1 of the window: how many values were taken, and put; the cells follow. A value in, a value
/// out, as the ranks behind the first do.
constexpr long Capacity = 64, WindowWords = 2 + Capacity;

static void queue(long Rounds, MPI_Win Window) {
  for (long I = 0; I < 2 * Rounds; ++I) {
    bool Put = I % 2 == 0;
    long Ends[2], Value = I;
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, Window);
    MPI_Get(Ends, 2, MPI_LONG, 0, 0, 2, MPI_LONG, Window);
    MPI_Win_flush(0, Window);
    long Filled = Ends[1] - Ends[0], Cell = 2 + Ends[Put] % Capacity;
    if (Put ? Filled == Capacity : Filled == 0)
      MPI_Abort(MPI_COMM_WORLD, 1); // each takes after it has put
    if (Put)
      MPI_Put(&Value, 1, MPI_LONG, 0, Cell, 1, MPI_LONG, Window);
    else
      MPI_Get(&Value, 1, MPI_LONG, 0, Cell, 1, MPI_LONG, Window);
    ++Ends[Put];
    MPI_Put(&Ends[Put], 1, MPI_LONG, 0, Put, 1, MPI_LONG, Window);
    MPI_Win_unlock(0, Window);
  }
}

int main(int Count, char **Given) {
  MPI_Init(&Count, &Given);
  if (Count != 4)
    return 2;
  long Rounds = atol(Given[2]);
  int Rank, Size;
  MPI_Comm_rank(MPI_COMM_WORLD, &Rank);
  MPI_Comm_size(MPI_COMM_WORLD, &Size);
  long *Memory;
  MPI_Win Window;
  MPI_Win_allocate(WindowWords * sizeof(long), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &Memory, &Window);
  memset(Memory, 0, WindowWords * sizeof(long));
  for (int I = 0; I < 20; ++I)
    MPI_Barrier(MPI_COMM_WORLD);
  auto Begun = clock_type::now();
  bool Lock = !strcmp(Given[1], "lock"), Queue = !strcmp(Given[1], "queue");
  if (Lock)
    lock(Rounds, Window);
  else if (Queue && Rank > 0)
    queue(Rounds, Window);
  else if (Queue)
    ; // the host's rank only waits, below
  else if (!strcmp(Given[1], "ring"))
    ring(Rounds, static_cast<std::size_t>(atol(Given[3])));
  else
    for (long I = 0; I < Rounds; ++I)
      MPI_Barrier(MPI_COMM_WORLD);
  if (Lock || Queue)
    MPI_Barrier(MPI_COMM_WORLD);
  double Seconds = std::chrono::duration<double>(clock_type::now() - Begun).count();
  if (Rank == 1)
    printf("%.6g\n", static_cast<double>(Lock    ? Rounds * Size
                                         : Queue ? Rounds * (Size - 1)
                                                 : Rounds) /
                         Seconds);
  MPI_Win_free(&Window);
  MPI_Finalize();
}
