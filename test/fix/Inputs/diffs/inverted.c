/* Reads blocks, changes each in place, writes it back. The wait before the loop is enough for both requests. */
#include <infiniband/verbs.h>
#include <stdint.h>

#define BLOCK 4096
static unsigned char block[BLOCK];

static int transfer(struct ibv_qp *qp, enum ibv_wr_opcode what, uint64_t far, uint32_t rkey, uint32_t lkey)
{
	struct ibv_sge part = { .addr = (uintptr_t)block, .length = BLOCK, .lkey = lkey };
	struct ibv_send_wr request = { .opcode = what, .num_sge = 1, .sg_list = &part, .send_flags = IBV_SEND_SIGNALED };
	struct ibv_send_wr *bad;

	request.wr.rdma.remote_addr = far;
	request.wr.rdma.rkey = rkey;
	return ibv_post_send(qp, &request, &bad);
}

int invert(struct ibv_qp *qp, struct ibv_cq *cq, uint64_t far, uint32_t rkey, uint32_t lkey, int blocks)
{
	struct ibv_wc done;
	int b, i, n;

	for (b = 0; b < blocks; b++) {
		if (transfer(qp, IBV_WR_RDMA_READ, far + (uint64_t)b * BLOCK, rkey, lkey))
			return -1;
		for (i = 0; i < BLOCK; i++)
			block[i] = ~block[i];
		if (transfer(qp, IBV_WR_RDMA_WRITE, far + (uint64_t)b * BLOCK, rkey, lkey))
			return -1;
		for (i = 0; i < 2; i++) {
			while ((n = ibv_poll_cq(cq, 1, &done)) == 0)
				;
			if (n < 0 || done.status)
				return -1;
		}
	}
	return 0;
}
