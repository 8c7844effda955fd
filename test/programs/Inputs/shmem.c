// An OpenSHMEM program that checks every value it gets: puts to the right between barriers, gets, atomics on
// one counter, a flag behind data.
#include <shmem.h>
#include <stdio.h>

enum { ROUNDS = 20, WORDS = 500 };

static long numbers[WORDS], counter, flag, wrong, all;
static long work[SHMEM_REDUCE_MIN_WRKDATA_SIZE], sync_words[SHMEM_REDUCE_SYNC_SIZE];

static void put_round(int round, int me, int pes) {
  long own[WORDS];
  int right = (me + 1) % pes, left = (me + pes - 1) % pes;
  for (int i = 0; i < WORDS; ++i)
    own[i] = round * 1000 + me + i;
  shmem_long_put(numbers, own, WORDS, right);
  shmem_barrier_all();
  for (int i = 0; i < WORDS; ++i)
    wrong += numbers[i] != round * 1000 + left + i;
  shmem_barrier_all();
}

static void flag_round(int round, int me, int pes) {
  long value = round;
  if (me == 0) {
    shmem_long_put(&numbers[WORDS - 1], &value, 1, pes - 1);
    shmem_fence();
    shmem_long_p(&flag, round, pes - 1);
  } else if (me == pes - 1) {
    shmem_long_wait_until(&flag, SHMEM_CMP_EQ, round);
    wrong += *(volatile long *)&numbers[WORDS - 1] != round;
  }
  shmem_barrier_all();
}

int main(void) {
  shmem_init();
  int me = shmem_my_pe(), pes = shmem_n_pes();
  for (int i = 0; i < SHMEM_REDUCE_SYNC_SIZE; ++i)
    sync_words[i] = SHMEM_SYNC_VALUE;
  for (int round = 1; round <= ROUNDS; ++round) {
    put_round(round, me, pes);
    flag_round(round, me, pes);
    shmem_long_atomic_add(&counter, 1, 0);
  }
  shmem_barrier_all();
  wrong += shmem_long_g(&counter, 0) != (long)ROUNDS * pes;
  shmem_barrier_all();
  shmem_long_sum_to_all(&all, &wrong, 1, 0, 0, pes, work, sync_words);
  shmem_barrier_all();
  if (me == 0)
    printf("%d processing elements, %ld wrong values\n", pes, all);
  shmem_finalize();
  return all != 0;
}
