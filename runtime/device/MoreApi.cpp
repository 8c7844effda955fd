// What tools ask for and this device has no use for: names in sysfs, rates, fork support, and objects of
// transports other than the reliable connection, which are refused. And what tests of the weak schedule ask
// for.
#include "runtime/device/Context.h"
#include "runtime/device/Weak.h"
#include "runtime/include/rdma/emulated.h"

#include <cstdio>
#include <mutex>

using namespace rdma::device;

namespace {

struct Rate {
  ibv_rate Code;
  int Multiple, Megabits; ///< no multiple: of lanes that are no multiple of 2.5 Gb/s
};
constexpr int None = -1;
constexpr Rate Rates[] = {
    {IBV_RATE_2_5_GBPS, 1, 2500},      {IBV_RATE_5_GBPS, 2, 5000},         {IBV_RATE_10_GBPS, 4, 10000},
    {IBV_RATE_20_GBPS, 8, 20000},      {IBV_RATE_30_GBPS, 12, 30000},      {IBV_RATE_40_GBPS, 16, 40000},
    {IBV_RATE_60_GBPS, 24, 60000},     {IBV_RATE_80_GBPS, 32, 80000},      {IBV_RATE_120_GBPS, 48, 120000},
    {IBV_RATE_14_GBPS, None, 14062},   {IBV_RATE_56_GBPS, None, 56250},    {IBV_RATE_112_GBPS, None, 112500},
    {IBV_RATE_168_GBPS, None, 168750}, {IBV_RATE_25_GBPS, None, 25781},    {IBV_RATE_100_GBPS, None, 103125},
    {IBV_RATE_200_GBPS, None, 206250}, {IBV_RATE_300_GBPS, None, 309375},  {IBV_RATE_28_GBPS, 11, 28125},
    {IBV_RATE_50_GBPS, 20, 53125},     {IBV_RATE_400_GBPS, 160, 425000},   {IBV_RATE_600_GBPS, 240, 637500},
    {IBV_RATE_800_GBPS, 320, 850000},  {IBV_RATE_1200_GBPS, 480, 1275000},
};

/// Says once what is not there; errno is EOPNOTSUPP.
int refuse(const char *What) {
  static std::once_flag Said;
  std::call_once(Said, [&] { fprintf(stderr, "rdma: %s: not part of the emulated device\n", What); });
  errno = EOPNOTSUPP;
  return EOPNOTSUPP;
}

} // namespace

extern "C" {

void rdma_emulated_restart(uint64_t Seed) {
  if (WeakScheduler *Scheduler = WeakScheduler::get())
    Scheduler->restart(Seed);
}

void rdma_emulated_pass(uint64_t Polls) {
  if (WeakScheduler *Scheduler = WeakScheduler::get())
    Scheduler->pass(Polls);
}

int ibv_read_sysfs_file(const char *, const char *File, char *To, size_t Size) {
  const char *Text = !strcmp(File, "board_id") ? "emulated" : !strcmp(File, "fw_ver") ? "1.0" : nullptr;
  if (!Text || !Size)
    return -1;
  return std::min(snprintf(To, Size, "%s", Text), static_cast<int>(Size) - 1);
}

int ibv_read_ibdev_sysfs_file(char *To, size_t Size, ibv_device *, const char *Format, ...) {
  return ibv_read_sysfs_file("", Format, To, Size);
}

const char *ibv_get_sysfs_path(void) { return "/sys"; }

int ibv_fork_init(void) { return 0; }
ibv_fork_status ibv_is_fork_initialized(void) { return IBV_FORK_UNNEEDED; }
int ibv_dontfork_range(void *, size_t) { return 0; }
int ibv_dofork_range(void *, size_t) { return 0; }

int ibv_rate_to_mult(ibv_rate Code) {
  for (const Rate &R : Rates)
    if (R.Code == Code)
      return R.Multiple;
  return -1;
}
ibv_rate mult_to_ibv_rate(int Multiple) {
  for (const Rate &R : Rates)
    if (R.Multiple == Multiple && Multiple != None)
      return R.Code;
  return IBV_RATE_MAX;
}
int ibv_rate_to_mbps(ibv_rate Code) {
  for (const Rate &R : Rates)
    if (R.Code == Code)
      return R.Megabits;
  return -1;
}
ibv_rate mbps_to_ibv_rate(int Megabits) {
  for (const Rate &R : Rates)
    if (R.Megabits == Megabits)
      return R.Code;
  return IBV_RATE_MAX;
}

ibv_mr *ibv_reg_dmabuf_mr(ibv_pd *, uint64_t, size_t, uint64_t, int, int) {
  return refuse("ibv_reg_dmabuf_mr"), nullptr;
}
ibv_pd *ibv_import_pd(ibv_context *, uint32_t) { return refuse("ibv_import_pd"), nullptr; }
void ibv_unimport_pd(ibv_pd *) { refuse("ibv_unimport_pd"); }
ibv_mr *ibv_import_mr(ibv_pd *, uint32_t) { return refuse("ibv_import_mr"), nullptr; }
void ibv_unimport_mr(ibv_mr *) { refuse("ibv_unimport_mr"); }
ibv_dm *ibv_import_dm(ibv_context *, uint32_t) { return refuse("ibv_import_dm"), nullptr; }
void ibv_unimport_dm(ibv_dm *) { refuse("ibv_unimport_dm"); }
ibv_context *ibv_import_device(int) { return refuse("ibv_import_device"), nullptr; }
// Without a word: programs ask, and do without.
int ibv_query_ece(ibv_qp *, ibv_ece *) { return errno = EOPNOTSUPP; }
int ibv_set_ece(ibv_qp *, ibv_ece *) { return errno = EOPNOTSUPP; }
int ibv_query_qp_data_in_order(ibv_qp *, ibv_wr_opcode, uint32_t) { return 0; }
}
