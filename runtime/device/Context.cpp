#include "runtime/device/Context.h"
#include "runtime/device/Gid.h"
#include "runtime/device/Weak.h"

#include <cstdio>
#include <cstdlib>
#include <endian.h>
#include <fcntl.h>
#include <mutex>
#include <new>
#include <system_error>
#include <unistd.h>

#undef ibv_query_port

using namespace rdma::device;

namespace rdma::device {

namespace {

constexpr uint64_t FirstGuid = 0x0252444d41000001;

ibv_device Devices[MaxNodes];

unsigned indexOf(const ibv_device *Device) { return static_cast<unsigned>(Device - Devices); }

__be64 guidOf(const ibv_device *Device) { return htobe64(FirstGuid + indexOf(Device)); }

void nameDevices() {
  for (unsigned I = 0; I < MaxNodes; ++I) {
    ibv_device &D = Devices[I];
    D.node_type = IBV_NODE_CA;
    D.transport_type = IBV_TRANSPORT_IB;
    snprintf(D.name, sizeof D.name, "%s%u", Settings::get().DeviceBase.c_str(),
             Settings::get().FirstDevice + I);
    snprintf(D.dev_name, sizeof D.dev_name, "uverbs%u", I);
  }
}

void fillLimits(const ibv_device *Device, ibv_device_attr &A) {
  snprintf(A.fw_ver, sizeof A.fw_ver, "1.0");
  A.node_guid = A.sys_image_guid = guidOf(Device);
  A.max_mr_size = uint64_t(1) << 46;
  A.page_size_cap = 4096;
  A.vendor_id = 0x5244; // of nobody: what knows cards by it takes this for one that it does not know
  A.vendor_part_id = 1;
  A.hw_ver = 1;
  A.max_qp = MaxQueuePairs - 1;
  A.max_qp_wr = MaxRequests;
  A.device_cap_flags = IBV_DEVICE_RC_RNR_NAK_GEN | IBV_DEVICE_PORT_ACTIVE_EVENT | IBV_DEVICE_SYS_IMAGE_GUID |
                       IBV_DEVICE_CURR_QP_STATE_MOD | IBV_DEVICE_MEM_WINDOW | IBV_DEVICE_MEM_WINDOW_TYPE_2B |
                       IBV_DEVICE_MEM_MGT_EXTENSIONS | IBV_DEVICE_XRC;
  A.max_sge = A.max_sge_rd = MaxSge;
  A.max_cq = MaxCompletionQueues - 1;
  A.max_cqe = MaxCompletions;
  A.max_mr = A.max_mw = MaxRegions - 1;
  A.max_pd = 1 << 20;
  A.max_qp_rd_atom = A.max_qp_init_rd_atom = MaxReadsAtOnce;
  A.max_res_rd_atom = MaxReadsAtOnce * (MaxQueuePairs - 1);
  A.atomic_cap = IBV_ATOMIC_HCA;
  A.max_srq = MaxReceiveQueues - 1;
  A.max_srq_wr = MaxRequests;
  A.max_srq_sge = MaxSge;
  A.max_pkeys = 1;
  A.max_ah = 1 << 20;
  A.max_mcast_grp = A.max_mcast_qp_attach = A.max_total_mcast_qp_attach = MaxMembers;
  A.local_ca_ack_delay = 15;
  A.phys_port_cnt = 1;
}

} // namespace

int queryPort(ibv_context *Public, uint8_t Port, ibv_port_attr *Attr, size_t Size) {
  if (Port != 1)
    return EINVAL;
  ibv_port_attr A = {};
  A.state = IBV_PORT_ACTIVE;
  A.max_mtu = A.active_mtu = IBV_MTU_4096;
  A.gid_tbl_len = static_cast<int>(gidCount());
  A.port_cap_flags = IBV_PORT_CM_SUP;
  A.max_msg_sz = MaxMessage;
  A.pkey_tbl_len = 1;
  A.lid = shownLid(nodeOf(Public).lid());
  A.sm_lid = isEthernet() ? 0 : 1;
  A.max_vl_num = 1;
  A.active_width = 2;  // 4x
  A.active_speed = 32; // EDR
  A.phys_state = 5;    // link up
  A.link_layer = isEthernet() ? IBV_LINK_LAYER_ETHERNET : IBV_LINK_LAYER_INFINIBAND;
  A.flags = isEthernet() ? IBV_QPF_GRH_REQUIRED : 0;
  memset(Attr, 0, Size);
  memcpy(Attr, &A, std::min(Size, sizeof A));
  return 0;
}

int queryDevice(ibv_context *Public, const ibv_query_device_ex_input *Input, ibv_device_attr_ex *Attr,
                size_t Size) {
  if (Input && Input->comp_mask)
    return EINVAL;
  if (Size < sizeof Attr->orig_attr)
    return EINVAL;
  ibv_device_attr_ex A = {};
  fillLimits(Public->device, A.orig_attr);
  A.device_cap_flags_ex = A.orig_attr.device_cap_flags;
  A.phys_port_cnt_ex = 1;
  A.completion_timestamp_mask = ~uint64_t(0);
  A.hca_core_clock = 1000000; // kHz: completions carry nanoseconds
  memset(Attr, 0, Size);
  memcpy(Attr, &A, std::min(Size, sizeof A));
  return 0;
}

} // namespace rdma::device

/// An orderly exit: what was posted still arrives, and the peers know at once.
__attribute__((destructor)) static void leave() {
  WeakScheduler *Scheduler = WeakScheduler::get();
  for (unsigned I = 0; I < MaxNodes; ++I)
    if (Node *N = Node::joined(I)) {
      if (Scheduler)
        Scheduler->drainAll();
      N->segment().Alive = 0;
    }
}

extern "C" {

ibv_device **ibv_get_device_list(int *Count) {
  static std::once_flag Named;
  std::call_once(Named, nameDevices);
  unsigned Nodes = Settings::get().Nodes;
  auto **List = static_cast<ibv_device **>(calloc(Nodes + 1, sizeof(ibv_device *)));
  if (!List)
    return nullptr;
  for (unsigned I = 0; I < Nodes; ++I)
    List[I] = &Devices[I];
  if (Count)
    *Count = static_cast<int>(Nodes);
  return List;
}

void ibv_free_device_list(ibv_device **List) { free(List); }

const char *ibv_get_device_name(ibv_device *Device) { return Device->name; }

int ibv_get_device_index(ibv_device *Device) { return static_cast<int>(indexOf(Device)); }

__be64 ibv_get_device_guid(ibv_device *Device) { return guidOf(Device); }

ibv_context *ibv_open_device(ibv_device *Device) {
  try {
    Node &Home = Node::of(indexOf(Device));
    auto *C = new Context;
    C->Home = &Home;
    C->Verbs.sz = sizeof(verbs_context);
    C->Verbs.context.device = Device;
    C->Verbs.context.cmd_fd = -1;
    int Events[2];
    if (pipe2(Events, O_CLOEXEC))
      throw std::system_error(errno, std::generic_category(), "pipe");
    // A program that reads no events is not held up by them.
    fcntl(Events[1], F_SETFL, O_NONBLOCK);
    C->Verbs.context.async_fd = Events[0];
    C->EventsEnd = Events[1];
    C->EventsCookie = Home.NextCookie++;
    C->Verbs.context.num_comp_vectors = 1;
    C->Verbs.context.abi_compat = __VERBS_ABI_IS_EXTENDED;
    pthread_mutex_init(&C->Verbs.context.mutex, nullptr);
    fillOperations(C->Verbs);
    return &C->Verbs.context;
  } catch (const std::system_error &E) {
    fprintf(stderr, "rdma: error: %s\n", E.what());
    errno = E.code().value();
    return nullptr;
  }
}

int ibv_close_device(ibv_context *Public) {
  close(Public->async_fd);
  close(Context::of(Public)->EventsEnd);
  delete Context::of(Public);
  return 0;
}

int ibv_query_device(ibv_context *Public, ibv_device_attr *Attr) {
  *Attr = {};
  fillLimits(Public->device, *Attr);
  return 0;
}

int ibv_query_port(ibv_context *Public, uint8_t Port, _compat_ibv_port_attr *Attr) {
  // The structure of old programs ends after the flags.
  return queryPort(Public, Port, reinterpret_cast<ibv_port_attr *>(Attr),
                   offsetof(ibv_port_attr, flags) + sizeof(ibv_port_attr::flags));
}

int ibv_query_pkey(ibv_context *, uint8_t Port, int Index, __be16 *Key) {
  if (Port != 1 || Index != 0) {
    errno = EINVAL;
    return -1;
  }
  *Key = htobe16(0xffff);
  return 0;
}

int ibv_get_pkey_index(ibv_context *, uint8_t Port, __be16 Key) {
  return Port == 1 && Key == htobe16(0xffff) ? 0 : -1;
}
}
