// Money goes from one account to another, and both are looked at.
#include "rdma/objects/accounts.h"

using namespace rdma::objects;

status run_node(accounts &bank, std::int64_t &sum) {
  if (status s = bank.transfer(1, 2, 10); s != status::ok)
    return s;
  std::int64_t a, b;
  if (status s = bank.balances(1, 2, a, b); s != status::ok)
    return s;
  sum = a + b;
  return status::ok;
}
