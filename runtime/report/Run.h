/* The run of a program whose reports are wanted as SARIF; for rdma-run.c. */
#ifndef RDMA_REPORT_RUN_H
#define RDMA_REPORT_RUN_H

#ifdef __cplusplus
extern "C" {
#endif

/* Where the processes of the run leave their reports: a name to which each adds its number. Call before the
 * environment of the program is made. Ends the process with one line when the file or the folder cannot be
 * written. */
const char *report_prefix(const char *sarif);

/* Runs the program, then repeats its reports on standard error and writes them to the file. Its status, or
 * that of exec. */
int report_run(const char *sarif, char **program);

#ifdef __cplusplus
}
#endif
#endif
