/* For programs that know that they run on the emulated device: tests that try many weak runs in one process.
 * Link with the device. Under the strong schedule neither call does anything. */
#ifndef RDMA_EMULATED_H
#define RDMA_EMULATED_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Lets everything on its way arrive, and begins the choices of the weak schedule anew, as RDMA_SEED does.
 * From now on time passes with verbs calls and rdma_emulated_pass only, not while the program waits. */
void rdma_emulated_restart(uint64_t seed);

/* Lets time pass for the weak schedule: as much as this many polls of an empty queue would take. */
void rdma_emulated_pass(uint64_t polls);

#ifdef __cplusplus
}
#endif

#endif
