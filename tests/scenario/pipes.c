/*
 * Pipes: fed from memory, from a file, by a function.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include "scenario.h"

#include <string.h>

/* Gives x once. */
struct reader {
    const struct scenario *s;
    uint64_t at;
};

static int read_x(void *user, void *const *elements, uint64_t n,
                  uint64_t *n_p) {
    struct reader *const reader = user;
    const uint64_t left = reader->s->n - reader->at;
    *n_p = left < n ? left : n;
    memcpy(elements[0], reader->s->in->x + reader->at,
           *n_p * sizeof reader->s->in->x[0]);
    reader->at += *n_p;
    return 0;
}

enum feed {
    FROM_MEMORY,
    FROM_FILE,
    FROM_FUNCTION
};

static winnow_status feed(struct scenario *s, winnow_pipe *pipe,
                          enum feed from) {
    const void *const memory[] = {s->in->x};
    const winnow_pipe_file file = {.fd = s->file};
    struct reader reader = {.s = s};
    switch (from) {
    case FROM_MEMORY:
        return winnow_pipe_feed(pipe, memory, s->n);
    case FROM_FILE:
        return winnow_pipe_feed_file(pipe, &file, s->n);
    default:
        return winnow_pipe_feed_read(pipe, read_x, &reader);
    }
}

static winnow_status run_pipe(struct scenario *s, enum feed from) {
    const winnow_pipe_input input = {.element_bytes = 4};
    const winnow_pipe_column column = {.type = WINNOW_INT32};
    const winnow_pipe_output output = {.memory = s->out->x,
                                       .capacity = SCENARIO_MOST};
    const winnow_pipe_options options = {.size = sizeof options,
                                         .chunk_bytes = s->n + 100,
                                         .threads = s->threads};
    winnow_pipe_state state = {.size = sizeof state};
    winnow_pipe *pipe;
    uint64_t kept = 0;
    winnow_status status =
        winnow_pipe_create(&pipe, s->backend.context, s->condition, &column, 1,
                           &input, 1, &output, 1, &options);
    if (status != WINNOW_OK)
        return status;
    status = feed(s, pipe, from);
    if (status == WINNOW_OK)
        status = winnow_pipe_finish(pipe, &kept);
    if (winnow_pipe_get_state(pipe, &state) != WINNOW_OK ||
        (status == WINNOW_OK && (state.items != s->n || state.kept != kept)))
        scenario_wrong(s, "the state is wrong");
    winnow_pipe_destroy(pipe);
    if (status == WINNOW_OK)
        s->out->count = kept;
    return status;
}

static winnow_status feed_memory(struct scenario *s) {
    return run_pipe(s, FROM_MEMORY);
}

static winnow_status feed_file(struct scenario *s) {
    return run_pipe(s, FROM_FILE);
}

static winnow_status feed_read(struct scenario *s) {
    return run_pipe(s, FROM_FUNCTION);
}

static void check_pipe(struct scenario *s) {
    scenario_check_count(s, s->out->count);
    scenario_check_packed(s, s->in->x, s->out->x, sizeof s->in->x[0]);
}

const struct scenario_step scenario_pipes[] = {{.name = "pipe_feed",
                                                .call = feed_memory,
                                                .check = check_pipe,
                                                .writes_early = true},
                                               {.name = "pipe_feed_file",
                                                .call = feed_file,
                                                .check = check_pipe,
                                                .writes_early = true},
                                               {.name = "pipe_feed_read",
                                                .call = feed_read,
                                                .check = check_pipe,
                                                .writes_early = true},
                                               {0}};
