// rdma-run PROGRAM ARGS: runs an unmodified verbs program on the emulated device.
//
// Sets the preload and the variables of device/Settings.h, then becomes the program.
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#if !defined DEVICE_LIBRARY || !defined INSTALLED_LIBRARY
#error "the library's paths in the build tree and installed, seen from the folder of this program"
#endif

static const struct {
  const char *option;
  const char *variable;
} options[] = {
    {"--schedule=", "RDMA_SCHEDULE"}, {"--seed=", "RDMA_SEED"},
    {"--latency=", "RDMA_LATENCY"},   {"--fabric=", "RDMA_FABRIC"},
    {"--nodes=", "RDMA_NODES"},       {"--connect-timeout=", "RDMA_CONNECT_TIMEOUT"},
};

static int fail(const char *what, const char *detail) {
  fprintf(stderr, "rdma-run: error: %s%s\n", what, detail);
  return 2;
}

// Whether the value suits the option; what the device itself checks again.
static int is_valid(const char *variable, const char *value) {
  char *end = NULL;
  if (!strcmp(variable, "RDMA_SCHEDULE"))
    return !strcmp(value, "strong") || !strcmp(value, "weak");
  if (!strcmp(variable, "RDMA_SEED"))
    return strtoull(value, &end, 10), *value && !*end && *value != '-';
  if (!strcmp(variable, "RDMA_LATENCY") || !strcmp(variable, "RDMA_CONNECT_TIMEOUT"))
    return strtod(value, &end) >= 0 && end != value &&
           (!*end || !strcmp(end, "ns") || !strcmp(end, "us") || !strcmp(end, "ms") || !strcmp(end, "s"));
  if (!strcmp(variable, "RDMA_NODES")) {
    unsigned long nodes = strtoul(value, &end, 10);
    return *value && !*end && nodes >= 1 && nodes <= 64;
  }
  return *value && strlen(value) <= 60;
}

// Takes one option; 0 when it is none of ours.
static int take(const char *argument) {
  for (size_t i = 0; i < sizeof options / sizeof *options; ++i) {
    size_t length = strlen(options[i].option);
    if (strncmp(argument, options[i].option, length))
      continue;
    if (!is_valid(options[i].variable, argument + length))
      exit(fail("bad value: ", argument));
    setenv(options[i].variable, argument + length, 1);
    return 1;
  }
  return 0;
}

static void preload(void) {
  char self[PATH_MAX], library[2 * PATH_MAX], list[4 * PATH_MAX];
  ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
  self[length < 0 ? 0 : length] = 0;
  *strrchr(self, '/') = 0;
  snprintf(library, sizeof library, "%s/%s", self, DEVICE_LIBRARY);
  if (access(library, R_OK))
    snprintf(library, sizeof library, "%s/%s", self, INSTALLED_LIBRARY);
  if (access(library, R_OK))
    exit(fail("the device library is missing: ", library));
  const char *before = getenv("LD_PRELOAD");
  snprintf(list, sizeof list, "%s%s%s", library, before && *before ? ":" : "", before ? before : "");
  setenv("LD_PRELOAD", list, 1);
}

int main(int argc, char **argv) {
  int i = 1;
  for (; i < argc && argv[i][0] == '-'; ++i) {
    if (!strcmp(argv[i], "--help")) {
      puts("usage: rdma-run [--schedule=strong|weak] [--seed=N] [--latency=TIME] [--fabric=NAME] "
           "[--nodes=N] [--connect-timeout=TIME] PROGRAM [ARGS]");
      return 0;
    }
    if (!strcmp(argv[i], "--")) {
      ++i;
      break;
    }
    if (!take(argv[i]))
      return fail("unknown option: ", argv[i]);
  }
  if (i >= argc)
    return fail("no program is named; usage: ",
                "rdma-run [--schedule=strong|weak] [--seed=N] [--latency=TIME] [--fabric=NAME] [--nodes=N] "
                "[--connect-timeout=TIME] "
                "PROGRAM [ARGS]");
  preload();
  execvp(argv[i], argv + i);
  fprintf(stderr, "rdma-run: error: %s: %s\n", argv[i], strerror(errno));
  return 2;
}
