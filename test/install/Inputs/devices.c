// Prints the devices that the library it is linked with shows, and uses the header that inserted code includes.
#include <infiniband/verbs.h>
#include <rdma/order.h>
#include <stdio.h>

int main(void) {
  int count = 0;
  struct ibv_device **devices = ibv_get_device_list(&count);
  for (int i = 0; i < count; i++)
    printf("device %s\n", ibv_get_device_name(devices[i]));
  ibv_free_device_list(devices);
  return count == 0;
}
