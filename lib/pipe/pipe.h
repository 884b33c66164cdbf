/*
 * A pipe: what its functions and its two backends share.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "core/context.h"
#include "source.h"

typedef struct winnow__pipe_backend {
    winnow_status (*create)(winnow_pipe *pipe);
    /* Take all items of a source. On an error nothing of it is in use. */
    winnow_status (*feed)(winnow_pipe *pipe, winnow__source *source);
    /* Write all that was fed. The same. */
    winnow_status (*finish)(winnow_pipe *pipe);
    void (*destroy)(winnow_pipe *pipe);
} winnow__pipe_backend;

struct winnow_pipe {
    winnow_context *context;
    const winnow_condition *condition;
    winnow_pipe_column *columns;
    winnow_pipe_input *inputs;
    winnow_pipe_output *outputs;
    unsigned column_count, input_count, output_count;
    winnow_pipe_options options;

    uint64_t item_bytes; /* of all inputs */
    uint64_t chunk_items;
    size_t selection_bytes; /* of a chunk */
    bool needs_selection;   /* an output has something else than elements */
    bool writes_in_order;   /* an output goes to a stream or a function */

    const winnow__pipe_backend *backend;
    void *own; /* the backend's */

    winnow_pipe_state state;
    winnow__file_error error; /* of the state */
    bool ended;
    winnow_status status; /* an error, with its detail, from then on */
    char detail[512];
};

extern const winnow__pipe_backend winnow__host_pipe, winnow__cuda_pipe;

/* Call the caller's function, if there is one. */
winnow_status winnow__pipe_progress(winnow_pipe *pipe);

/* The bytes of an output's element. */
static inline size_t winnow__pipe_output_bytes(const winnow_pipe *pipe,
                                               unsigned o) {
    const winnow_pipe_output *const output = &pipe->outputs[o];
    switch (output->kind) {
    case WINNOW_PIPE_ELEMENTS:
        return pipe->inputs[output->input].element_bytes;
    case WINNOW_PIPE_INDICES:
        return sizeof(uint64_t);
    case WINNOW_PIPE_MASK:
        return 1;
    }
    return 0;
}
