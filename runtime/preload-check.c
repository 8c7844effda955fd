// Preloaded beside the device in a run that is checked: tells the device when the program calls the kernel
// and when it is back, and of its threads (device/Underway.h).
//
// ThreadSanitizer stands in front of most of these calls and looks for the next library that has them: this.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

// Of the device.
extern void rdma_emulated_passed(int) __attribute__((weak));
extern void rdma_emulated_thread(void) __attribute__((weak));
extern void rdma_emulated_watched(void) __attribute__((weak));
extern void rdma_emulated_unmapped(const void *, size_t) __attribute__((weak));

__attribute__((constructor)) static void begin(void) {
  if (rdma_emulated_watched)
    rdma_emulated_watched();
}

static void pass(int call) {
  if (rdma_emulated_passed)
    rdma_emulated_passed(call);
}

// Each call has a number of its own: its line. What stands behind it is looked up before the program begins,
// which may call from the handler of a signal.
#define AROUND(TYPE, NAME, PARAMETERS, ARGUMENTS)                                                            \
  static TYPE(*next_##NAME) PARAMETERS;                                                                      \
  __attribute__((constructor)) static void find_##NAME(void) {                                               \
    next_##NAME = (TYPE(*) PARAMETERS)dlsym(RTLD_NEXT, #NAME);                                               \
  }                                                                                                          \
  TYPE NAME PARAMETERS {                                                                                     \
    if (!next_##NAME)                                                                                        \
      find_##NAME();                                                                                         \
    pass(__LINE__);                                                                                          \
    TYPE result = next_##NAME ARGUMENTS;                                                                     \
    pass(__LINE__);                                                                                          \
    return result;                                                                                           \
  }

AROUND(ssize_t, read, (int file, void *to, size_t size), (file, to, size))
AROUND(ssize_t, readv, (int file, const struct iovec *to, int count), (file, to, count))
AROUND(ssize_t, write, (int file, const void *from, size_t size), (file, from, size))
AROUND(ssize_t, writev, (int file, const struct iovec *from, int count), (file, from, count))
AROUND(ssize_t, recv, (int file, void *to, size_t size, int flags), (file, to, size, flags))
AROUND(ssize_t, recvfrom,
       (int file, void *to, size_t size, int flags, struct sockaddr *who, socklen_t *length),
       (file, to, size, flags, who, length))
AROUND(ssize_t, recvmsg, (int file, struct msghdr *message, int flags), (file, message, flags))
AROUND(ssize_t, send, (int file, const void *from, size_t size, int flags), (file, from, size, flags))
AROUND(ssize_t, sendto,
       (int file, const void *from, size_t size, int flags, const struct sockaddr *who, socklen_t length),
       (file, from, size, flags, who, length))
AROUND(ssize_t, sendmsg, (int file, const struct msghdr *message, int flags), (file, message, flags))
AROUND(int, poll, (struct pollfd * files, nfds_t count, int timeout), (files, count, timeout))
AROUND(int, select, (int end, fd_set *in, fd_set *out, fd_set *other, struct timeval *timeout),
       (end, in, out, other, timeout))
AROUND(int, epoll_wait, (int file, struct epoll_event *events, int count, int timeout),
       (file, events, count, timeout))
AROUND(pid_t, waitpid, (pid_t process, int *status, int options), (process, status, options))
AROUND(int, sched_yield, (void), ())
AROUND(int, usleep, (useconds_t time), (time))
AROUND(unsigned, sleep, (unsigned time), (time))
AROUND(int, nanosleep, (const struct timespec *time, struct timespec *left), (time, left))

int munmap(void *at, size_t size) {
  static int (*next)(void *, size_t);
  if (!next)
    next = (int (*)(void *, size_t))dlsym(RTLD_NEXT, "munmap");
  if (rdma_emulated_unmapped)
    rdma_emulated_unmapped(at, size);
  return next(at, size);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *), void *with) {
  static int (*next)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
  if (!next)
    next = (int (*)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *))dlsym(RTLD_NEXT,
                                                                                          "pthread_create");
  // ThreadSanitizer always gives a thread of the program attributes, and none to those that it has for
  // itself.
  if (rdma_emulated_thread && attributes)
    rdma_emulated_thread();
  return next(thread, attributes, start, with);
}
