/*
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cuda.h"

#include "host/task.h"

enum {
    UNIT_BYTES = 1 << 20,
    BUFFER_BYTES = 64 /* the alignment a team needs */
};

/* A copy that the threads do together, in units that each takes as it becomes free. */
typedef struct job {
    unsigned char *to;
    const unsigned char *from;
    uint64_t bytes;
    winnow__turns turns;
} job;

winnow__team *winnow__pipe_team(const winnow_pipe *pipe) {
    winnow__team *const made = winnow__team_create(BUFFER_BYTES);
    if (made != NULL)
        winnow__team_set_threads(made, pipe->options.threads);
    return made;
}

static void work(void *argument, unsigned char *buffer) {
    job *const j = argument;
    (void)buffer;
    uint64_t unit;
    while (winnow__take_turn(&j->turns, &unit)) {
        const uint64_t first = unit * UNIT_BYTES, left = j->bytes - first;
        winnow__host_copy_bytes(j->to + first, j->from + first,
                                left < UNIT_BYTES ? left : UNIT_BYTES);
    }
}

void winnow__team_copy(winnow__team *team, void *to, const void *from,
                       uint64_t bytes) {
    const uint64_t units = (bytes + UNIT_BYTES - 1) / UNIT_BYTES;
    const unsigned threads = winnow__team_threads(
        team, units < WINNOW__PIPE_THREADS ? units : WINNOW__PIPE_THREADS);
    job j = {.to = to,
             .from = from,
             .bytes = bytes,
             .turns = winnow__begin_turns(units)};
    winnow__team_work(team, threads, work, &j, NULL);
}
