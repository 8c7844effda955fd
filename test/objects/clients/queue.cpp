// A value goes into the queue, one comes out.
#include "rdma/objects/fifo.h"

using namespace rdma::objects;

status run_node(fifo &jobs, std::uint32_t &job) {
  if (status s = jobs.enqueue(7); s != status::ok)
    return s;
  return jobs.dequeue(job);
}
