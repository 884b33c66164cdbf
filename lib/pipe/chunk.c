/*
 * Filters a chunk, by calls of the public API.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "chunk.h"

#include "core/status.h"

#include <stdlib.h>

bool winnow__chunk_create(const winnow_pipe *pipe, winnow__chunk *chunk) {
    chunk->columns = calloc(pipe->column_count, sizeof *chunk->columns);
    chunk->moves = calloc(WINNOW_PIPE_MOST_OUTPUTS, sizeof *chunk->moves);
    if (chunk->columns != NULL && chunk->moves != NULL)
        return true;
    winnow__chunk_destroy(chunk);
    return false;
}

void winnow__chunk_destroy(winnow__chunk *chunk) {
    free(chunk->moves);
    free(chunk->columns);
    chunk->moves = NULL;
    chunk->columns = NULL;
}

/* --------------------------------------------------------------- what it is */

static const void *at(const void *base, uint64_t bytes) {
    return base == NULL ? NULL : (const unsigned char *)base + bytes;
}

static void describe_columns(const winnow_pipe *pipe, winnow__chunk *chunk) {
    for (unsigned c = 0; c < pipe->column_count; c++) {
        const winnow_pipe_column *const column = &pipe->columns[c];
        const uint32_t bytes = pipe->inputs[column->input].element_bytes;
        chunk->columns[c] = (winnow_in){
            .type = column->type,
            .d_base = at(chunk->in[column->input], column->offset_bytes),
            .stride_bytes =
                bytes == winnow_type_size(column->type) ? 0 : (int64_t)bytes};
    }
}

static unsigned describe_moves(const winnow_pipe *pipe, winnow__chunk *chunk) {
    unsigned moves = 0;
    for (unsigned o = 0; o < pipe->output_count; o++) {
        const winnow_pipe_output *const output = &pipe->outputs[o];
        if (output->kind != WINNOW_PIPE_ELEMENTS)
            continue;
        chunk->moves[moves++] = (winnow_move){
            .d_in = chunk->in[output->input],
            .d_out = chunk->out[o],
            .element_bytes = pipe->inputs[output->input].element_bytes};
    }
    return moves;
}

/* ----------------------------------------------------------------- its calls */

/* Write an output that has no elements of an input. */
static winnow_status describe(const winnow_pipe *pipe,
                              const winnow__chunk *chunk, unsigned o,
                              uint64_t n, const winnow_launch *launch) {
    switch (pipe->outputs[o].kind) {
    case WINNOW_PIPE_ELEMENTS:
        break;
    case WINNOW_PIPE_INDICES:
        return winnow_compact_index(pipe->context, chunk->selection, n,
                                    WINNOW_UINT64, chunk->out[o], n, NULL,
                                    launch);
    case WINNOW_PIPE_MASK:
        return winnow_selection_to_mask(pipe->context, chunk->selection, n,
                                        WINNOW_MASK_BYTES, chunk->out[o], 0,
                                        launch);
    }
    return WINNOW_OK;
}

static winnow_status filter_by_selection(const winnow_pipe *pipe,
                                         winnow__chunk *chunk, unsigned moves,
                                         uint64_t n,
                                         const winnow_launch *launch) {
    WINNOW__TRY(winnow_select_where(
        pipe->context, pipe->condition, chunk->columns, pipe->column_count, n,
        chunk->selection, pipe->selection_bytes, launch));
    WINNOW__TRY(moves != 0
                    ? winnow_compact_columns(pipe->context, chunk->selection, n,
                                             chunk->moves, moves, n,
                                             chunk->count, launch)
                    : winnow_selection_count(pipe->context, chunk->selection, n,
                                             chunk->count, launch));
    for (unsigned o = 0; o < pipe->output_count; o++)
        WINNOW__TRY(describe(pipe, chunk, o, n, launch));
    return WINNOW_OK;
}

winnow_status winnow__chunk_filter(const winnow_pipe *pipe,
                                   winnow__chunk *chunk, uint64_t n,
                                   winnow_stream stream) {
    const winnow_launch launch = {.size = sizeof launch,
                                  .stream = stream,
                                  .selectivity = pipe->options.selectivity};
    describe_columns(pipe, chunk);
    const unsigned moves = describe_moves(pipe, chunk);
    return pipe->needs_selection
               ? filter_by_selection(pipe, chunk, moves, n, &launch)
               : winnow_copy_where(pipe->context, pipe->condition,
                                   chunk->columns, pipe->column_count, n,
                                   chunk->moves, moves, n, chunk->count,
                                   &launch);
}

/* ------------------------------------------------------------------- checks */

winnow_status winnow__chunk_check(winnow_pipe *pipe) {
    winnow_plan plan = {.size = sizeof plan};
    const winnow_launch launch = {.size = sizeof launch, .plan = &plan};
    winnow__chunk chunk = {0};
    winnow_status status =
        winnow_selection_bytes(pipe->chunk_items, &pipe->selection_bytes);
    if (status == WINNOW_OK)
        status = winnow_condition_prepare(pipe->context, pipe->condition);
    if (status != WINNOW_OK)
        return status;
    if (!winnow__chunk_create(pipe, &chunk))
        return winnow__no_memory("a pipe");
    describe_columns(pipe, &chunk);
    status = winnow_select_where(pipe->context, pipe->condition, chunk.columns,
                                 pipe->column_count, pipe->chunk_items, NULL,
                                 pipe->selection_bytes, &launch);
    winnow__chunk_destroy(&chunk);
    return status;
}
