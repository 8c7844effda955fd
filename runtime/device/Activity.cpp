#include "runtime/device/Activity.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <dirent.h>
#include <string>
#include <unistd.h>

namespace rdma::device {

namespace {

constexpr uint64_t LongEnough = 5000000, Short = 50000;

/// The letter that the kernel gives a thread's state; 0 when the thread is gone.
char stateOf(const char *Thread) {
  std::string Path = std::string("/proc/self/task/") + Thread + "/stat";
  FILE *Stat = fopen(Path.c_str(), "re");
  char Line[256] = {};
  if (!Stat)
    return 0;
  size_t Size = fread(Line, 1, sizeof Line - 1, Stat);
  fclose(Stat);
  const char *End = static_cast<const char *>(memrchr(Line, ')', Size));
  return End && End[1] ? End[2] : 0;
}

uint64_t nanoseconds(const timespec &T) {
  return static_cast<uint64_t>(T.tv_sec) * 1000000000 + static_cast<uint64_t>(T.tv_nsec);
}

/// Processor time of all threads but the caller.
uint64_t othersTime() {
  timespec All = {}, Own = {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &Own);
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &All);
  return nanoseconds(All) - nanoseconds(Own);
}

bool othersSleep() {
  DIR *Threads = opendir("/proc/self/task");
  if (!Threads)
    return true;
  bool Sleep = true;
  while (dirent *Entry = readdir(Threads))
    if (Entry->d_name[0] != '.' && atoi(Entry->d_name) != gettid())
      Sleep = Sleep && strchr("STtZX", stateOf(Entry->d_name));
  closedir(Threads);
  return Sleep;
}

} // namespace

Activity ActivityWatch::look() {
  // In this order: what begins in between is seen by isOver.
  bool Begins = Began.exchange(false);
  uint64_t Now = othersTime();
  if (Begins)
    Before = Now;
  // The two clocks are not read at one instant: when nobody else ran, the difference may go back a little.
  bool Busy = Now > Before + (isHasty() ? Short : LongEnough);
  // Twice in a row, because a thread may also sleep for an instant.
  bool SleptBefore = Slept;
  Slept = !Busy && othersSleep();
  if (!Busy && !(Slept && SleptBefore))
    return Activity::Unknown;
  Before = Now;
  return Busy ? Activity::Busy : Activity::Asleep;
}

} // namespace rdma::device
