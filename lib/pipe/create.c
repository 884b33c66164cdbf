/*
 * Creates and frees a pipe.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "chunk.h"
#include "sink.h"

#include "core/operation.h"
#include "core/status.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_ELEMENT_BYTES = 4096,
    MOST_BUFFERS = 16
};

/* Bytes of all inputs together. On the host a thread's share of the caches has room for
 * them. On a device, chunks of 32 to 64 MiB lose least at their beginning and end. */
static const uint64_t host_chunk_bytes = UINT64_C(256) << 10,
                      device_chunk_bytes = UINT64_C(32) << 20;

/* -------------------------------------------------------------------- checks */

static winnow_status reserved(const char *name, unsigned i,
                              const uint64_t *words) {
    return words[0] == 0 && words[1] == 0
               ? WINNOW_OK
               : winnow__refuse("%s[%u].reserved is not 0", name, i);
}

static winnow_status no_input(const char *name, unsigned i, uint32_t input,
                              unsigned count) {
    return winnow__refuse("%s[%u].input is %u, and there are %u inputs", name,
                          i, (unsigned)input, count);
}

static winnow_status check_inputs(const winnow_pipe_input *inputs,
                                  unsigned count) {
    if (count == 0 || count > WINNOW_PIPE_MOST_INPUTS)
        return winnow__refuse("input_count is %u: wanted 1 to %u", count,
                              WINNOW_PIPE_MOST_INPUTS);
    for (unsigned i = 0; i < count; i++)
        if (inputs[i].element_bytes == 0 ||
            inputs[i].element_bytes > MOST_ELEMENT_BYTES)
            return winnow__refuse(
                "inputs[%u].element_bytes is %u: wanted 1 to %d", i,
                (unsigned)inputs[i].element_bytes, MOST_ELEMENT_BYTES);
        else
            WINNOW__TRY(reserved("inputs", i, inputs[i].reserved));
    return WINNOW_OK;
}

static winnow_status check_column(const winnow_pipe_column *column, unsigned c,
                                  const winnow_pipe_input *inputs,
                                  unsigned input_count) {
    const size_t bytes = winnow_type_size(column->type);
    if (column->input >= input_count)
        return no_input("columns", c, column->input, input_count);
    if (column->type == WINNOW_BIT || winnow__is_string_type(column->type))
        return winnow__unsupported(
            "columns[%u].type is %s, which no pipe takes", c,
            winnow_type_name(column->type));
    if (bytes == 0)
        return winnow__refuse(
            "columns[%u].type %d is no type that can be tested", c,
            (int)column->type);
    if (column->offset_bytes > inputs[column->input].element_bytes ||
        inputs[column->input].element_bytes - column->offset_bytes < bytes)
        return winnow__refuse("columns[%u].offset_bytes is %u: an element of "
                              "inputs[%u] ends before %u + %zu",
                              c, (unsigned)column->offset_bytes,
                              (unsigned)column->input,
                              (unsigned)column->offset_bytes, bytes);
    return reserved("columns", c, column->reserved);
}

static winnow_status check_output(const winnow_pipe_output *output, unsigned o,
                                  unsigned input_count) {
    if ((int)output->kind < WINNOW_PIPE_ELEMENTS ||
        (int)output->kind > WINNOW_PIPE_MASK)
        return winnow__refuse("outputs[%u].kind %d is no winnow_pipe_kind", o,
                              (int)output->kind);
    if ((int)output->target < WINNOW_PIPE_TO_MEMORY ||
        (int)output->target > WINNOW_PIPE_TO_FUNCTION)
        return winnow__refuse("outputs[%u].target %d is no winnow_pipe_target",
                              o, (int)output->target);
    if (output->kind == WINNOW_PIPE_ELEMENTS && output->input >= input_count)
        return no_input("outputs", o, output->input, input_count);
    if (output->target == WINNOW_PIPE_TO_MEMORY && output->memory == NULL &&
        output->capacity != 0)
        return winnow__refuse("outputs[%u].memory is NULL", o);
    if (output->target == WINNOW_PIPE_TO_FUNCTION && output->write == NULL)
        return winnow__refuse("outputs[%u].write is NULL", o);
    return reserved("outputs", o, output->reserved);
}

static winnow_status check_options(const winnow_pipe_options *options) {
    const unsigned known =
        WINNOW_PIPE_ASYNCHRONOUS | WINNOW_PIPE_MAP | WINNOW_PIPE_REGISTER;
    for (unsigned i = 0;
         i < sizeof options->reserved / sizeof options->reserved[0]; i++)
        if (options->reserved[i] != 0)
            return winnow__refuse("options->reserved[%u] is not 0", i);
    if (options->buffers == 1 || options->buffers > MOST_BUFFERS)
        return winnow__refuse("options->buffers is %u: wanted 0, or 2 to %d",
                              (unsigned)options->buffers, MOST_BUFFERS);
    if ((options->flags & ~known) != 0)
        return winnow__unsupported("options->flags is %#x: only %#x is known",
                                   (unsigned)options->flags, known);
    if ((int)options->fetch < WINNOW_PIPE_FETCH_AUTO ||
        (int)options->fetch > WINNOW_PIPE_FETCH_LATE)
        return winnow__refuse("options->fetch %d is no winnow_pipe_fetch",
                              (int)options->fetch);
    if (!(options->selectivity >= 0.0 && options->selectivity <= 1.0))
        return winnow__refuse(
            "options->selectivity is %.9g: wanted 0, for unknown, to 1",
            options->selectivity);
    return WINNOW_OK;
}

static winnow_status check(const winnow_pipe *pipe) {
    WINNOW__TRY(check_inputs(pipe->inputs, pipe->input_count));
    for (unsigned c = 0; c < pipe->column_count; c++)
        WINNOW__TRY(check_column(&pipe->columns[c], c, pipe->inputs,
                                 pipe->input_count));
    if (pipe->output_count > WINNOW_PIPE_MOST_OUTPUTS)
        return winnow__refuse("output_count is %u: wanted %u at most",
                              pipe->output_count, WINNOW_PIPE_MOST_OUTPUTS);
    for (unsigned o = 0; o < pipe->output_count; o++)
        WINNOW__TRY(check_output(&pipe->outputs[o], o, pipe->input_count));
    return check_options(&pipe->options);
}

/* -------------------------------------------------------------------- memory */

/* A copy of an array. NULL: no memory. */
static void *copy(const void *from, size_t count, size_t bytes) {
    void *const made = calloc(count + 1, bytes);
    if (made != NULL && count != 0)
        memcpy(made, from, count * bytes);
    return made;
}

static void free_pipe(winnow_pipe *pipe) {
    free(pipe->outputs);
    free(pipe->inputs);
    free(pipe->columns);
    free(pipe);
}

static void choose_chunk(winnow_pipe *pipe) {
    const uint64_t most = UINT64_C(1) << 31; /* items */
    uint64_t bytes = pipe->options.chunk_bytes;
    if (bytes == 0)
        bytes = pipe->context->backend->is_host ? host_chunk_bytes
                                                : device_chunk_bytes;
    for (unsigned i = 0; i < pipe->input_count; i++)
        pipe->item_bytes += pipe->inputs[i].element_bytes;
    pipe->chunk_items = bytes / pipe->item_bytes;
    if (pipe->chunk_items == 0)
        pipe->chunk_items = 1;
    if (pipe->chunk_items > most)
        pipe->chunk_items = most;
    if (pipe->chunk_items > 64) /* masks of whole words, vectors of elements */
        pipe->chunk_items -= pipe->chunk_items % 64;
}

/* Set what follows from the outputs. */
static void look_at_outputs(winnow_pipe *pipe) {
    bool has_elements = false;
    for (unsigned o = 0; o < pipe->output_count; o++) {
        const winnow_pipe_output *const output = &pipe->outputs[o];
        if (output->kind == WINNOW_PIPE_ELEMENTS)
            has_elements = true;
        else
            pipe->needs_selection = true;
        pipe->writes_in_order =
            pipe->writes_in_order || winnow__sink_is_in_order(output);
    }
    pipe->needs_selection = pipe->needs_selection || !has_elements;
}

static winnow_status make(winnow_pipe *pipe) {
    if (pipe->columns == NULL || pipe->inputs == NULL || pipe->outputs == NULL)
        return winnow__no_memory("a pipe");
    WINNOW__TRY(check(pipe));
    choose_chunk(pipe);
    look_at_outputs(pipe);
    WINNOW__TRY(winnow__chunk_check(pipe));
    return pipe->backend->create(pipe);
}

static const winnow__pipe_backend *backend_of(const winnow_context *context) {
#ifdef WINNOW_CUDA
    if (!context->backend->is_host)
        return &winnow__cuda_pipe;
#endif
    (void)context;
    return &winnow__host_pipe;
}

static winnow_status take_options(const winnow_pipe_options *options,
                                  winnow_pipe_options *to) {
    *to = (winnow_pipe_options){.size = sizeof *to};
    return options == NULL
               ? WINNOW_OK
               : winnow__take_struct("options", "winnow_pipe_options",
                                     offsetof(winnow_pipe_options, reserved),
                                     options, to, sizeof *to);
}

winnow_status
winnow_pipe_create(winnow_pipe **pipe_p, winnow_context *context,
                   const winnow_condition *condition,
                   const winnow_pipe_column *columns, unsigned column_count,
                   const winnow_pipe_input *inputs, unsigned input_count,
                   const winnow_pipe_output *outputs, unsigned output_count,
                   const winnow_pipe_options *options) {
    const char *const missing =
        pipe_p == NULL                         ? "pipe_p"
        : context == NULL                      ? "context"
        : condition == NULL                    ? "condition"
        : columns == NULL && column_count != 0 ? "columns"
        : inputs == NULL && input_count != 0   ? "inputs"
        : outputs == NULL && output_count != 0 ? "outputs"
                                               : NULL;
    winnow_pipe_options taken;
    if (missing != NULL)
        return winnow__refuse("%s is NULL", missing);
    WINNOW__TRY(take_options(options, &taken));
    winnow_pipe *const pipe = calloc(1, sizeof *pipe);
    if (pipe == NULL)
        return winnow__no_memory("a pipe");
    *pipe =
        (winnow_pipe){.context = context,
                      .condition = condition,
                      .columns = copy(columns, column_count, sizeof *columns),
                      .inputs = copy(inputs, input_count, sizeof *inputs),
                      .outputs = copy(outputs, output_count, sizeof *outputs),
                      .column_count = column_count,
                      .input_count = input_count,
                      .output_count = output_count,
                      .options = taken,
                      .backend = backend_of(context),
                      .state = {.size = sizeof pipe->state}};
    winnow_status status = make(pipe);
    if (status != WINNOW_OK)
        free_pipe(pipe);
    else
        *pipe_p = pipe;
    return status;
}

void winnow_pipe_destroy(winnow_pipe *pipe) {
    if (pipe == NULL)
        return;
    pipe->backend->destroy(pipe);
    free_pipe(pipe);
}
