// One node that meets itself.
#include <cstdio>
#include <rdma/objects/barrier.h>

int main() {
  rdma::objects::manager Here({{0, "127.0.0.1:7900"}}, 0);
  rdma::objects::barrier Meet("meet", Here);
  Here.wait_for_ready(std::chrono::seconds(5));
  Here.attach_thread();
  bool Met = Meet.wait() == rdma::objects::status::ok;
  puts(Met ? "met" : "failed");
  return !Met;
}
