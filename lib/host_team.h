/*
 * The threads of a host context.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_LIB_HOST_TEAM_H
#define WINNOW_LIB_HOST_TEAM_H

#include <stdbool.h>
#include <stddef.h>

typedef struct winnow__team winnow__team;

/* What every thread of a team carries out; `buffer` is the thread's own. */
typedef void winnow__work(void *argument, unsigned char *buffer);

/* A team whose threads have buffers of so many bytes, aligned to 64. None is
 * started, and no buffer made, before they have something to do. NULL: there is
 * no memory. */
winnow__team *winnow__team_create(size_t buffer_bytes);
/* Nothing may be running. */
void winnow__team_destroy(winnow__team *team);

/* How many threads work on a call, the caller's own included; 0: as many as the
 * process may use CPUs. From the next call on. */
void winnow__team_set_threads(winnow__team *team, unsigned threads);

/*
 * Have the caller and at most most - 1 other threads carry out the work, each
 * once, at the same time or not; return when all that began have ended. False,
 * and nothing is done: there is one thread for it alone, since the team has no
 * other, works for another caller, or was left behind by fork().
 */
bool winnow__team_run(winnow__team *team, unsigned most, winnow__work *work,
                      void *argument);

#endif
