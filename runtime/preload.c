// Preloaded beside the device: for programs that do not link with libibverbs.
//
// Some load it at run time; they get the device that is already here. Some look first whether the kernel's
// device files exist; they see one for each device.
//
// And all find the device's sched_yield (device/GiveWay.cpp).
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

// Of the device.
extern void rdma_emulated_pass(unsigned long) __attribute__((weak));

static const char *device_path(void) {
  Dl_info info;
  return rdma_emulated_pass && dladdr((void *)rdma_emulated_pass, &info) ? info.dli_fname : NULL;
}

static int stands_for(const char *name) {
  static const char *const names[] = {"libibverbs.so.1", "libibverbs.so", "librdmacm.so.1", "librdmacm.so"};
  for (size_t i = 0; name && i < sizeof names / sizeof *names; ++i)
    if (!strcmp(name, names[i]))
      return 1;
  return 0;
}

#if defined __clang__
#define TAIL __attribute__((musttail))
#else
#define TAIL
#endif

// The loader looks up paths relative to its caller, so that has to stay the program: no frame of ours is
// left.
void *dlopen(const char *name, int flags) {
  static void *(*next)(const char *, int);
  if (!next)
    next = (void *(*)(const char *, int))dlsym(RTLD_NEXT, "dlopen");
  const char *device = stands_for(name) ? device_path() : NULL;
  if (device)
    return next(device, flags);
  TAIL return next(name, flags);
}

static int is_device_file(const char *path) {
  static const char prefix[] = "/dev/infiniband/uverbs";
  const char *nodes = getenv("RDMA_NODES");
  if (!path || strncmp(path, prefix, sizeof prefix - 1))
    return 0;
  char *end;
  long index = strtol(path + sizeof prefix - 1, &end, 10);
  return end != path + sizeof prefix - 1 && !*end && index >= 0 && index < (nodes ? atol(nodes) : 1);
}

static int describe(struct stat *status) {
  memset(status, 0, sizeof *status);
  status->st_mode = S_IFCHR | 0666;
  status->st_nlink = 1;
  status->st_rdev = makedev(231, 192);
  return 0;
}

int stat(const char *path, struct stat *status) {
  static int (*next)(const char *, struct stat *);
  if (!next)
    next = (int (*)(const char *, struct stat *))dlsym(RTLD_NEXT, "stat");
  return is_device_file(path) ? describe(status) : next(path, status);
}

int access(const char *path, int mode) {
  static int (*next)(const char *, int);
  if (!next)
    next = (int (*)(const char *, int))dlsym(RTLD_NEXT, "access");
  return is_device_file(path) && !(mode & X_OK) ? 0 : next(path, mode);
}

// The device's: who asks for the C library's version of it does not find it without this.
int sched_yield(void) {
  static int (*next)(void);
  if (!next)
    next = (int (*)(void))dlsym(RTLD_NEXT, "sched_yield");
  return next();
}
