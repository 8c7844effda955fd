// An MPI program that checks every value it gets: messages round a ring, puts between fences, accumulates
// under a lock.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT = 20000, ROUNDS = 10, PUTS = 30, ADDS = 10, SLOTS = 64 };

static int rank, ranks, wrong;

static void send_round(void) {
  int *numbers = malloc(COUNT * sizeof *numbers), next = (rank + 1) % ranks,
      before = (rank + ranks - 1) % ranks;
  for (int round = 0; round < ROUNDS; ++round) {
    for (int i = 0; i < COUNT; ++i)
      numbers[i] = round + rank + i;
    MPI_Sendrecv_replace(numbers, COUNT, MPI_INT, next, round, before, round, MPI_COMM_WORLD,
                         MPI_STATUS_IGNORE);
    for (int i = 0; i < COUNT; ++i)
      wrong += numbers[i] != round + before + i;
  }
  free(numbers);
}

static void put_round(MPI_Win window, const volatile int *memory) {
  int next = (rank + 1) % ranks, before = (rank + ranks - 1) % ranks;
  MPI_Win_fence(0, window);
  for (int round = 1; round <= PUTS; ++round) {
    int number = round * 100 + rank;
    MPI_Put(&number, 1, MPI_INT, next, rank, 1, MPI_INT, window);
    MPI_Win_fence(0, window);
    wrong += memory[before] != round * 100 + before;
    MPI_Win_fence(0, window);
  }
}

static void add_to_first(MPI_Win window, const volatile int *memory) {
  int one = 1;
  for (int i = 0; i < ADDS; ++i) {
    MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window);
    MPI_Accumulate(&one, 1, MPI_INT, 0, SLOTS - 1, 1, MPI_INT, MPI_SUM, window);
    MPI_Win_unlock(0, window);
  }
  MPI_Win_fence(0, window);
  wrong += rank == 0 && memory[SLOTS - 1] != ADDS * ranks;
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  send_round();
  if (argc < 2 || strcmp(argv[1], "--messages")) {
    int *memory;
    MPI_Win window;
    MPI_Win_allocate(SLOTS * sizeof *memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    memset(memory, 0, SLOTS * sizeof *memory);
    put_round(window, memory);
    add_to_first(window, memory);
    MPI_Win_free(&window);
  }
  int all;
  MPI_Allreduce(&wrong, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0)
    printf("%d ranks, %d wrong values\n", ranks, all);
  MPI_Finalize();
  return all != 0;
}
