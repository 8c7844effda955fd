// `PROGRAM --all`: runs every role of an example on this machine, as one process each.
#ifndef EXAMPLES_COMMON_LAUNCH_H
#define EXAMPLES_COMMON_LAUNCH_H

#ifdef __cplusplus
extern "C" {
#endif

struct role {
  const char *name;
  int id;
};

// Starts `PROGRAM NAME PORT ID` for each role, PORT being the first of eight free TCP ports on loopback, and
// waits. Prints one last line and returns the status of the whole run: 3 when a role saw the bad outcome, 1
// when one failed (the others are stopped then) or did not end within ten seconds, else 0.
int launch(const struct role roles[], int count);

#ifdef __cplusplus
}
#endif

#endif
