// names: the names of numbers and the rates, as the library says.
#include <infiniband/verbs.h>
#include <rdma/rdma_cma.h>
#include <stdio.h>

int main(void) {
  for (int i = -2; i < 30; i++) {
    printf("%d: node %s, port %s, event %s, status %s\n", i, ibv_node_type_str((enum ibv_node_type)i),
           ibv_port_state_str((enum ibv_port_state)i), ibv_event_type_str((enum ibv_event_type)i),
           ibv_wc_status_str((enum ibv_wc_status)i));
    printf("%d: connection event %s, rate %d %d\n", i, rdma_event_str((enum rdma_cm_event_type)i),
           ibv_rate_to_mult((enum ibv_rate)i), ibv_rate_to_mbps((enum ibv_rate)i));
  }
  for (int i = 0; i < 600; i++)
    printf("multiple %d: rate %d\n", i, mult_to_ibv_rate(i));
  for (int i = 0; i < 26; i++)
    printf("rate of %d\n", mbps_to_ibv_rate(ibv_rate_to_mbps((enum ibv_rate)i)));
  return 0;
}
