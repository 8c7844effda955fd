#include "runtime/device/Transitions.h"

namespace rdma::device {

namespace {

struct Masks {
  int Required = 0, Optional = 0;
};

/// The table of InfiniBand's specification (11.2.5.2); the required ones are also in ibv_modify_qp(3).
struct Transition {
  ibv_qp_state From, To;
  Masks Reliable, Unreliable, Datagram;
};

constexpr int Path = IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN;
constexpr int Migration = IBV_QP_ALT_PATH | IBV_QP_PATH_MIG_STATE;
constexpr int Port = IBV_QP_PKEY_INDEX | IBV_QP_PORT;
constexpr int WhileItSends = IBV_QP_CUR_STATE | IBV_QP_ACCESS_FLAGS | Migration;

constexpr Transition Transitions[] = {
    {IBV_QPS_RESET,
     IBV_QPS_INIT,
     {Port | IBV_QP_ACCESS_FLAGS},
     {Port | IBV_QP_ACCESS_FLAGS},
     {Port | IBV_QP_QKEY}},
    {IBV_QPS_INIT,
     IBV_QPS_INIT,
     {0, Port | IBV_QP_ACCESS_FLAGS},
     {0, Port | IBV_QP_ACCESS_FLAGS},
     {0, Port | IBV_QP_QKEY}},
    {IBV_QPS_INIT,
     IBV_QPS_RTR,
     {Path | IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER,
      IBV_QP_ALT_PATH | IBV_QP_ACCESS_FLAGS | IBV_QP_PKEY_INDEX},
     {Path, IBV_QP_ALT_PATH | IBV_QP_ACCESS_FLAGS | IBV_QP_PKEY_INDEX},
     {0, IBV_QP_PKEY_INDEX | IBV_QP_QKEY}},
    {IBV_QPS_RTR,
     IBV_QPS_RTS,
     {IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC,
      WhileItSends | IBV_QP_MIN_RNR_TIMER},
     {IBV_QP_SQ_PSN, WhileItSends},
     {IBV_QP_SQ_PSN, IBV_QP_CUR_STATE | IBV_QP_QKEY}},
    {IBV_QPS_RTS,
     IBV_QPS_RTS,
     {0, WhileItSends | IBV_QP_MIN_RNR_TIMER},
     {0, WhileItSends},
     {0, IBV_QP_CUR_STATE | IBV_QP_QKEY}},
    {IBV_QPS_RTS,
     IBV_QPS_SQD,
     {0, IBV_QP_EN_SQD_ASYNC_NOTIFY},
     {0, IBV_QP_EN_SQD_ASYNC_NOTIFY},
     {0, IBV_QP_EN_SQD_ASYNC_NOTIFY}},
    {IBV_QPS_SQD,
     IBV_QPS_SQD,
     {0, IBV_QP_PORT | IBV_QP_AV | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
             IBV_QP_MAX_QP_RD_ATOMIC | IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_ACCESS_FLAGS | IBV_QP_PKEY_INDEX |
             IBV_QP_MIN_RNR_TIMER | Migration},
     {0, IBV_QP_AV | IBV_QP_ACCESS_FLAGS | IBV_QP_PKEY_INDEX | Migration},
     {0, IBV_QP_PKEY_INDEX | IBV_QP_QKEY}},
    {IBV_QPS_SQD,
     IBV_QPS_RTS,
     {0, WhileItSends | IBV_QP_MIN_RNR_TIMER},
     {0, WhileItSends},
     {0, IBV_QP_CUR_STATE | IBV_QP_QKEY}},
    {IBV_QPS_SQE,
     IBV_QPS_RTS,
     {},
     {0, IBV_QP_CUR_STATE | IBV_QP_ACCESS_FLAGS},
     {0, IBV_QP_CUR_STATE | IBV_QP_QKEY}},
};

/// With XRC a queue pair that sends need say nothing of answers that are asked for, and one that receives
/// nothing of requests; perftest does.
int needed(ibv_qp_type Type, int Mask) {
  constexpr int OfAnswers = IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER,
                OfRequests = IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC;
  return Mask & ~(Type == IBV_QPT_XRC_SEND ? OfAnswers : Type == IBV_QPT_XRC_RECV ? OfRequests : 0);
}

} // namespace

bool mayChange(ibv_qp_type Type, ibv_qp_state From, ibv_qp_state To, int Mask) {
  Mask &= ~IBV_QP_STATE;
  if (To == IBV_QPS_RESET || To == IBV_QPS_ERR)
    return !(Mask & ~IBV_QP_CUR_STATE);
  for (const Transition &T : Transitions) {
    if (T.From != From || T.To != To)
      continue;
    const Masks &M = Type == IBV_QPT_UC ? T.Unreliable : Type == IBV_QPT_UD ? T.Datagram : T.Reliable;
    int Required = needed(Type, M.Required);
    return (Mask & Required) == Required && !(Mask & ~(M.Required | M.Optional));
  }
  return false;
}

} // namespace rdma::device
