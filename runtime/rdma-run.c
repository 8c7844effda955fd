// rdma-run PROGRAM ARGS: runs an unmodified verbs program on the emulated device.
//
// Sets the preload and the variables of device/Settings.h, then becomes the program.
#define _GNU_SOURCE
#include "runtime/report/Run.h"

#include <ctype.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#if !defined DEVICE_LIBRARY || !defined INSTALLED_LIBRARY
#error "the library's paths in the build tree and installed, seen from the folder of this program"
#endif

static const struct {
  const char *option;
  const char *variable;
  const char *value;
  const char *allowed;
  const char *meaning;
} options[] = {
    {"--schedule", "RDMA_SCHEDULE", "strong|weak|ordered", "strong, weak or ordered",
     "everything at once (default); as late and reordered as the papers allow; weak, but\n"
     "                                 what is acknowledged reaches a target in that order"},
    {"--seed", "RDMA_SEED", "N", "a number", "of the weak and ordered schedules (1)"},
    {"--torn", "RDMA_TORN", "words|lines", "words or lines",
     "parts of one WRITE arrive in any order (weak, ordered): words (when not said) or cache\n"
     "                                 lines of 64 bytes stay whole"},
    {"--latency", "RDMA_LATENCY", "TIME", "a time such as 250ns, 5us or 1ms",
     "a delay for each request; us when there is no unit (0)"},
    {"--jitter", "RDMA_JITTER", "TIME", "a time such as 250ns, 5us or 1ms",
     "up to so much more, by the seed (0)"},
    {"--bandwidth", "RDMA_BANDWIDTH", "RATE", "a rate such as 100Gb or 12.5GB",
     "of the link, per second; Mb, Gb: bits, MB, GB: bytes (no limit)"},
    {"--rnr-grace", "RDMA_RNR_GRACE", "TIME", "a time such as 100ms or 5s",
     "how long a message waits for a receive before retries count (0)"},
    {"--fabric", "RDMA_FABRIC", "NAME", "a name of 1 to 60 characters",
     "processes with the same name see each other (default)"},
    {"--lid", "RDMA_LID", "N", "a number from 1 to 49151",
     "local identifier of the first device, or the next one that is free"},
    {"--link", "RDMA_LINK", "infiniband|ethernet", "infiniband or ethernet",
     "what the port looks like (infiniband); ethernet: RoCE, with a table of GIDs"},
    {"--device-name", "RDMA_DEVICE_NAME", "NAME", "a name with a number at its end, such as mlx5_0,",
     "of the first device (rdma_emulated0)"},
    {"--check", "RDMA_CHECK", "log|abort", "log or abort",
     "look for races with the NIC (program built with -fsanitize=thread) and for requests\n"
     "                                 that outlive what they use; go on (log, when not said), or stop"},
    {"--suppressions", "RDMA_SUPPRESSIONS", "FILE", "a file that can be read",
     "what --check leaves out: lines as ThreadSanitizer's, and lifetime:PATTERN"},
    {"--sarif", "RDMA_SARIF", "FILE", "a file",
     "what --check reports, in all processes of the run, as SARIF 2.1.0; and on standard\n"
     "                                 error when the program has ended. Switches --check on"},
    {"--nodes", "RDMA_NODES", "N", "a number from 1 to 64", "devices of the process (1)"},
    {"--connect-timeout", "RDMA_CONNECT_TIMEOUT", "TIME", "a time such as 500ms or 60s",
     "how long the connection manager waits for an answer (60s)"},
};

static int fail(const char *what, const char *detail) {
  fprintf(stderr, "rdma-run: error: %s%s\n", what, detail);
  return 2;
}

static int is_number(const char *value, unsigned long long least, unsigned long long most) {
  char *end = NULL;
  errno = 0;
  unsigned long long number = strtoull(value, &end, 10);
  return isdigit((unsigned char)*value) && !*end && !errno && number >= least && number <= most;
}

// Whether the value suits the option; what the device itself checks again.
static int is_valid(const char *variable, const char *value) {
  char *end = NULL;
  if (!strcmp(variable, "RDMA_SCHEDULE"))
    return !strcmp(value, "strong") || !strcmp(value, "weak") || !strcmp(value, "ordered");
  if (!strcmp(variable, "RDMA_CHECK"))
    return !strcmp(value, "log") || !strcmp(value, "abort");
  if (!strcmp(variable, "RDMA_TORN"))
    return !strcmp(value, "words") || !strcmp(value, "lines");
  if (!strcmp(variable, "RDMA_SARIF"))
    return *value != 0;
  if (!strcmp(variable, "RDMA_SUPPRESSIONS"))
    return !access(value, R_OK);
  if (!strcmp(variable, "RDMA_BANDWIDTH"))
    return strtod(value, &end) > 0 && end != value &&
           (!strcmp(end, "Mb") || !strcmp(end, "Gb") || !strcmp(end, "MB") || !strcmp(end, "GB"));
  if (!strcmp(variable, "RDMA_LINK"))
    return !strcmp(value, "infiniband") || !strcmp(value, "ethernet");
  if (!strcmp(variable, "RDMA_DEVICE_NAME"))
    return strlen(value) > 1 && strlen(value) <= 40 && isdigit((unsigned char)value[strlen(value) - 1]) &&
           !isdigit((unsigned char)*value) && !strchr(value, '/');
  if (!strcmp(variable, "RDMA_SEED"))
    return is_number(value, 0, ULLONG_MAX);
  if (!strcmp(variable, "RDMA_LID"))
    return is_number(value, 1, 49151);
  if (!strcmp(variable, "RDMA_NODES"))
    return is_number(value, 1, 64);
  if (!strcmp(variable, "RDMA_FABRIC"))
    return *value && strlen(value) <= 60;
  return strtod(value, &end) >= 0 && end != value &&
         (!*end || !strcmp(end, "ns") || !strcmp(end, "us") || !strcmp(end, "ms") || !strcmp(end, "s"));
}

// What an option means that is given without a value; NULL: it needs one.
static const char *value_when_bare(const char *variable) {
  return !strcmp(variable, "RDMA_CHECK") ? "log" : !strcmp(variable, "RDMA_TORN") ? "words" : NULL;
}

// Takes one option, with its value behind a '=' or as the next word. How many words it was; 0: none of ours.
static int take(char **words) {
  for (size_t i = 0; i < sizeof options / sizeof *options; ++i) {
    size_t length = strlen(options[i].option);
    if (strncmp(*words, options[i].option, length) || (words[0][length] && words[0][length] != '='))
      continue;
    const char *value = words[0][length] ? words[0] + length + 1 : words[1];
    const char *bare = words[0][length] ? NULL : value_when_bare(options[i].variable);
    if (bare)
      value = bare;
    if (!value || !is_valid(options[i].variable, value)) {
      fprintf(stderr, "rdma-run: error: bad value: %s%s%s: %s is expected\n", options[i].option,
              value ? "=" : "", value ? value : "", options[i].allowed);
      exit(2);
    }
    setenv(options[i].variable, value, 1);
    return words[0][length] || bare ? 1 : 2;
  }
  return 0;
}

// Puts defaults before the options that the user has set, which win.
static void set_default(const char *variable, const char *defaults, const char *between) {
  const char *before = getenv(variable);
  char *all;
  if (asprintf(&all, "%s%s%s", defaults, before && *before ? between : "", before ? before : "") >= 0)
    setenv(variable, all, 1);
  free(all);
}

// The device reserves a window as large as the address space and fills only what is registered.
static void check_limits(void) {
  struct rlimit space, file;
  getrlimit(RLIMIT_AS, &space);
  getrlimit(RLIMIT_FSIZE, &file);
  if (space.rlim_cur != RLIM_INFINITY && space.rlim_cur < 16ull << 30)
    exit(fail("the address space is limited (ulimit -v): ", "the device reserves about 5 GB for each peer"));
  if (file.rlim_cur != RLIM_INFINITY)
    exit(fail("the size of files is limited (ulimit -f): ",
              "the device needs a sparse file of 128 TB in memory"));
}

// The path that execvp will run; 0 when there is none.
static int find(const char *program, char path[PATH_MAX]) {
  if (strchr(program, '/'))
    return snprintf(path, PATH_MAX, "%s", program) < PATH_MAX && !access(path, X_OK);
  const char *list = getenv("PATH");
  for (list = list ? list : "/bin:/usr/bin"; *list;) {
    int length = (int)strcspn(list, ":");
    if (snprintf(path, PATH_MAX, "%.*s/%s", length, list, program) < PATH_MAX && !access(path, X_OK))
      return 1;
    list += length + (list[length] == ':');
  }
  return 0;
}

static int is_static(const char *path) {
  Elf64_Ehdr header;
  FILE *file = fopen(path, "rb");
  int loads = 0, interpreter = 0;
  if (!file)
    return 0;
  if (fread(&header, sizeof header, 1, file) == 1 && !memcmp(header.e_ident, ELFMAG, SELFMAG) &&
      header.e_ident[EI_CLASS] == ELFCLASS64)
    for (int i = 0; i < header.e_phnum; ++i) {
      Elf64_Phdr part;
      if (fseek(file, (long)(header.e_phoff + (size_t)i * header.e_phentsize), SEEK_SET) ||
          fread(&part, sizeof part, 1, file) != 1)
        break;
      loads |= part.p_type == PT_LOAD;
      interpreter |= part.p_type == PT_INTERP;
    }
  fclose(file);
  return loads && !interpreter;
}

// A library can be loaded only into some programs.
static void check_program(const char *program) {
  char path[PATH_MAX];
  struct stat status;
  if (!find(program, path) || stat(path, &status))
    return; // exec says what is wrong
  if ((status.st_mode & S_ISUID && status.st_uid != geteuid()) ||
      (status.st_mode & S_ISGID && status.st_gid != getegid()))
    exit(fail(
        path,
        ": runs as another user or group (setuid), which loads no library of ours; run it as that user"));
  if (is_static(path))
    exit(fail(
        path,
        ": is linked statically, so the device cannot stand in for its libibverbs; link it dynamically"));
}

// Copies the lines of a file that ThreadSanitizer takes, which ends the program for those of other kinds.
static void copy_suppressions(FILE *to, const char *path) {
  char *line = NULL;
  size_t room = 0;
  FILE *from = fopen(path, "r");
  if (!from)
    exit(fail(path, strerror(errno)));
  while (getline(&line, &room, from) > 0)
    if (strncmp(line, "lifetime:", strlen("lifetime:")))
      fprintf(to, "%s%s", line, strchr(line, '\n') ? "" : "\n");
  free(line);
  fclose(from);
}

// ThreadSanitizer reads one file only: ours and the user's as one in memory, which the program and those that
// it starts inherit.
static void join_suppressions(const char *ours, const char *theirs, char path[64]) {
  enum { out_of_the_way = 900 }; // programs take low numbers for granted
  int low = memfd_create("rdma-run.supp", 0), file = fcntl(low, F_DUPFD, out_of_the_way);
  if (file < 0)
    file = low;
  else
    close(low);
  FILE *all = file < 0 ? NULL : fdopen(dup(file), "w");
  if (!all)
    exit(fail("suppressions: ", strerror(errno)));
  copy_suppressions(all, ours);
  copy_suppressions(all, theirs);
  fclose(all);
  snprintf(path, 64, "/proc/self/fd/%d", file);
}

// The library is there before AddressSanitizer, which is harmless: it allocates nothing of the program's. Its
// own code is not instrumented, so ThreadSanitizer leaves out what it does with the C library.
static void prepare_sanitizers(const char *library, const char *log) {
  char options[4 * PATH_MAX], last[2 * PATH_MAX], folder[2 * PATH_MAX], ours[3 * PATH_MAX], joined[64];
  const char *check = getenv("RDMA_CHECK"), *theirs = getenv("RDMA_SUPPRESSIONS");
  snprintf(folder, sizeof folder, "%s", library);
  *strrchr(folder, '/') = 0;
  snprintf(ours, sizeof ours, "%s/rdma-run.supp", folder);
  if (theirs)
    join_suppressions(ours, theirs, joined);
  snprintf(options, sizeof options, "suppressions='%s'%s", theirs ? joined : ours,
           check && !strcmp(check, "abort") ? ":halt_on_error=1" : "");
  set_default("ASAN_OPTIONS", "verify_asan_link_order=0", ":");
  set_default("TSAN_OPTIONS", options, ":");
  if (log) { // behind the user's: elsewhere the reports would not be found
    snprintf(last, sizeof last, "%s:log_path='%s'", getenv("TSAN_OPTIONS"), log);
    setenv("TSAN_OPTIONS", last, 1);
    setenv("RDMA_CHECK_LOG", log, 1);
  }
  snprintf(options, sizeof options, "--suppressions=%s/rdma-run.valgrind.supp", folder);
  set_default("VALGRIND_OPTS", options, " ");
}

// Another library of the folder of this one.
static void next_to(const char *library, const char *name, char path[2 * PATH_MAX]) {
  snprintf(path, 2 * PATH_MAX, "%s", library);
  strcpy(strrchr(path, '/') + 1, name);
  if (access(path, R_OK))
    exit(fail("a library is missing: ", path));
}

static void preload(const char *log) {
  char self[PATH_MAX], library[2 * PATH_MAX], beside[2 * PATH_MAX], checking[2 * PATH_MAX] = "", *list;
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
  next_to(library, PRELOAD_LIBRARY, beside);
  if (getenv("RDMA_CHECK"))
    next_to(library, CHECK_LIBRARY, checking);
  if (asprintf(&list, "%s:%s%s%s%s%s", beside, library, *checking ? ":" : "", checking,
               before && *before ? ":" : "", before ? before : "") < 0 ||
      setenv("LD_PRELOAD", list, 1))
    exit(fail("LD_PRELOAD: ", strerror(errno)));
  free(list);
  prepare_sanitizers(library, log);
}

static int help(void) {
  puts("usage: rdma-run [options] PROGRAM [ARGS]\n"
       "runs a verbs program on the emulated device\n");
  for (size_t i = 0; i < sizeof options / sizeof *options; ++i) {
    char option[64];
    snprintf(option, sizeof option, "%s=%s", options[i].option, options[i].value);
    printf("  %-30s %s\n", option, options[i].meaning);
  }
  puts("  -h, --help                     this text\n"
       "  --version                      the version\n\n"
       "A value may also be the next word. The exit status is the program's (66 when --check has reported\n"
       "something); 2 when it could not be started.");
  return 0;
}

int main(int argc, char **argv) {
  int i = 1;
  while (i < argc && argv[i][0] == '-') {
    if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h"))
      return help();
    if (!strcmp(argv[i], "--version"))
      return puts("rdma-run " VERSION) < 0;
    if (!strcmp(argv[i], "--")) {
      ++i;
      break;
    }
    int words = take(argv + i);
    if (!words)
      return fail("unknown option: ", argv[i]);
    i += words;
  }
  if (i >= argc)
    return fail("no program is named; usage: rdma-run [options] PROGRAM [ARGS]; see rdma-run ", "--help");
  const char *schedule = getenv("RDMA_SCHEDULE");
  if (getenv("RDMA_TORN") && (!schedule || !strcmp(schedule, "strong")))
    return fail("--torn: ", "needs --schedule=weak or ordered: under strong a WRITE arrives at once");
  check_limits();
  check_program(argv[i]);
  unsetenv("RDMA_FAMILY"); // each run begins a family of its own (device/Choices.h)
  const char *sarif = getenv("RDMA_SARIF"), *log = NULL;
  if (sarif) {
    sarif = strdup(sarif);
    unsetenv("RDMA_SARIF");
    setenv("RDMA_CHECK", "log", 0);
    log = report_prefix(sarif);
  }
  preload(log);
  if (sarif)
    return report_run(sarif, argv + i);
  execvp(argv[i], argv + i);
  fprintf(stderr, "rdma-run: error: %s: %s\n", argv[i], strerror(errno));
  return 2;
}
