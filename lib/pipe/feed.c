/*
 * Feeds a pipe, ends it, and reports its state.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "pipe.h"

#include "core/operation.h"
#include "core/status.h"

#include <stddef.h>
#include <stdio.h>

winnow_status winnow__pipe_progress(winnow_pipe *pipe) {
    if (pipe->options.progress != NULL &&
        pipe->options.progress(pipe->options.user, &pipe->state) != 0)
        return winnow__fail(WINNOW_ERR_STOPPED,
                            "options->progress stopped the pipe");
    return WINNOW_OK;
}

/* Can the pipe still be used? */
static winnow_status check(const winnow_pipe *pipe) {
    WINNOW__TRY(winnow__need(pipe, "pipe"));
    if (pipe->status != WINNOW_OK)
        return winnow__fail(pipe->status, "%s", pipe->detail);
    if (pipe->ended)
        return winnow__refuse("the pipe has ended");
    return WINNOW_OK;
}

/* After an error of the backend the pipe stays in error. */
static winnow_status settle(winnow_pipe *pipe, winnow_status status) {
    if (status != WINNOW_OK) {
        pipe->status = status;
        snprintf(pipe->detail, sizeof pipe->detail, "%s", winnow_last_error());
    }
    return status;
}

static winnow_status feed(winnow_pipe *pipe, winnow__source *source) {
    return source->n == 0 ? WINNOW_OK
                          : settle(pipe, pipe->backend->feed(pipe, source));
}

winnow_status winnow_pipe_feed(winnow_pipe *pipe, const void *const *inputs,
                               uint64_t n) {
    WINNOW__TRY(check(pipe));
    WINNOW__TRY(winnow__need(inputs, "inputs"));
    if (n > UINT64_MAX / 2 / pipe->item_bytes)
        return winnow__refuse("n is %llu: the address space holds fewer items",
                              (unsigned long long)n);
    for (unsigned i = 0; i < pipe->input_count; i++)
        if (inputs[i] == NULL && n != 0)
            return winnow__refuse("inputs[%u] is NULL", i);
    return feed(pipe, &(winnow__source){.inputs = inputs, .n = n});
}

winnow_status winnow_pipe_feed_file(winnow_pipe *pipe,
                                    const winnow_pipe_file *files, uint64_t n) {
    winnow__source source;
    WINNOW__TRY(check(pipe));
    WINNOW__TRY(winnow__need(files, "files"));
    winnow_status status =
        winnow__source_of_files(pipe, files, n, &source, &pipe->error);
    if (status != WINNOW_OK)
        return status == WINNOW_ERR_FILE ? settle(pipe, status) : status;
    return feed(pipe, &source);
}

winnow_status winnow_pipe_feed_read(winnow_pipe *pipe, winnow_pipe_read *read,
                                    void *user) {
    WINNOW__TRY(check(pipe));
    WINNOW__TRY(winnow__need(read, "read"));
    return feed(pipe, &(winnow__source){.read = read,
                                        .user = user,
                                        .n = WINNOW_NO_LIMIT,
                                        .in_order = true});
}

winnow_status winnow_pipe_finish(winnow_pipe *pipe, uint64_t *count_p) {
    WINNOW__TRY(check(pipe));
    WINNOW__TRY(settle(pipe, pipe->backend->finish(pipe)));
    pipe->ended = true;
    if (count_p != NULL)
        *count_p = pipe->state.kept;
    return WINNOW_OK;
}

winnow_status winnow_pipe_get_state(const winnow_pipe *pipe,
                                    winnow_pipe_state *state) {
    WINNOW__TRY(winnow__need(pipe, "pipe"));
    WINNOW__TRY(winnow__need(state, "state"));
    winnow_pipe_state given = pipe->state;
    given.error_number = pipe->error.number;
    given.failed = pipe->error.failed;
    return winnow__give_struct("state", "winnow_pipe_state",
                               offsetof(winnow_pipe_state, reserved), &given,
                               state, sizeof given);
}
