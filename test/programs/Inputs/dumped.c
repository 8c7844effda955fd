// Registers memory that nobody has written, and says how much of this process a core file would hold at most:
// the sizes of all mappings that can be read and are not left out of core files.
#include <infiniband/verbs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned long dumped(void) {
  char line[512], rights[5] = "";
  unsigned long begin, end, size = 0, sum = 0;
  FILE *all = fopen("/proc/self/smaps", "r");
  if (!all)
    exit(1);
  while (fgets(line, sizeof line, all))
    if (sscanf(line, "%lx-%lx %4s", &begin, &end, rights) == 3)
      size = end - begin;
    else if (!strncmp(line, "VmFlags:", 8) && rights[0] == 'r' && !strstr(line, " dd"))
      sum += size;
  fclose(all);
  return sum;
}

int main(void) {
  enum { length = 1 << 20 };
  struct ibv_device **devices = ibv_get_device_list(NULL);
  struct ibv_context *context = devices && devices[0] ? ibv_open_device(devices[0]) : NULL;
  struct ibv_pd *domain = context ? ibv_alloc_pd(context) : NULL;
  char *memory = aligned_alloc(4096, length);
  struct ibv_mr *region =
      domain ? ibv_reg_mr(domain, memory, length, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE) : NULL;
  if (!region)
    return 1;
  unsigned long size = dumped();
  if (size < 256ul << 20)
    puts("a core file stays small");
  else
    printf("a core file may have %lu MB\n", size >> 20);
  ibv_dereg_mr(region);
  ibv_dealloc_pd(domain);
  ibv_close_device(context);
  ibv_free_device_list(devices);
  free(memory);
  return 0;
}
