// rdma-run PROGRAM ARGS: runs an unmodified verbs program on the emulated device.
//
// Sets the preload and the variables of device/Settings.h, then becomes the program.
#define _GNU_SOURCE
#include <ctype.h>
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
  const char *value;
  const char *meaning;
} options[] = {
    {"--schedule=", "RDMA_SCHEDULE", "strong|weak",
     "everything at once (default), or as late and reordered as the hardware may"},
    {"--seed=", "RDMA_SEED", "N", "of the weak schedule (1)"},
    {"--latency=", "RDMA_LATENCY", "TIME",
     "a delay for each request: 250ns, 5us, 1ms; us when there is no unit (0)"},
    {"--fabric=", "RDMA_FABRIC", "NAME", "processes with the same name see each other (default)"},
    {"--nodes=", "RDMA_NODES", "N", "devices of the process, 1 to 64 (1)"},
    {"--connect-timeout=", "RDMA_CONNECT_TIMEOUT", "TIME",
     "how long the connection manager waits for an answer (60s)"},
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
    return errno = 0, strtoull(value, &end, 10), isdigit((unsigned char)*value) && !*end && !errno;
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
  char self[PATH_MAX], library[2 * PATH_MAX], *list;
  ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
  if (length < 0)
    exit(fail("/proc/self/exe: ", strerror(errno)));
  self[length] = 0;
  *strrchr(self, '/') = 0;
  snprintf(library, sizeof library, "%s/%s", self, DEVICE_LIBRARY);
  if (access(library, R_OK))
    snprintf(library, sizeof library, "%s/%s", self, INSTALLED_LIBRARY);
  if (access(library, R_OK))
    exit(fail("the device library is missing: ", library));
  const char *before = getenv("LD_PRELOAD");
  if (asprintf(&list, "%s%s%s", library, before && *before ? ":" : "", before ? before : "") < 0 ||
      setenv("LD_PRELOAD", list, 1))
    exit(fail("LD_PRELOAD: ", strerror(errno)));
  free(list);
}

static int help(void) {
  puts("usage: rdma-run [options] PROGRAM [ARGS]\n"
       "runs a verbs program on the emulated device\n");
  for (size_t i = 0; i < sizeof options / sizeof *options; ++i) {
    char option[64];
    snprintf(option, sizeof option, "%s%s", options[i].option, options[i].value);
    printf("  %-23s %s\n", option, options[i].meaning);
  }
  puts("\nThe exit status is the program's; 2 when it could not be started.");
  return 0;
}

int main(int argc, char **argv) {
  int i = 1;
  for (; i < argc && argv[i][0] == '-'; ++i) {
    if (!strcmp(argv[i], "--help"))
      return help();
    if (!strcmp(argv[i], "--")) {
      ++i;
      break;
    }
    if (!take(argv[i]))
      return fail("unknown option: ", argv[i]);
  }
  if (i >= argc)
    return fail("no program is named; usage: rdma-run [options] PROGRAM [ARGS]; see rdma-run ", "--help");
  preload();
  execvp(argv[i], argv + i);
  fprintf(stderr, "rdma-run: error: %s: %s\n", argv[i], strerror(errno));
  return 2;
}
