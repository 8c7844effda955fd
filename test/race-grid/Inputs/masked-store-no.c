// REMARK: is not understood; what it does to memory and to order is not analysed
// A store under a mask is an intrinsic.
#include "grid.h"
#include <immintrin.h>
static long long buf[8];
void run(struct link *l, __m256i mask, __m256i value) {
  put(l, buf, 64, 0);
  take(l->cq);
  _mm256_maskstore_epi64(buf, mask, value);
}
