/*
 * A pipe on a CUDA device. A chunk goes through three streams: it is copied in,
 * filtered, and copied out. The number of bytes to copy out is known only after
 * the filter. The host waits for it while the next chunk is copied in, so that
 * no copy waits for the host.
 *
 *     stream in     copy k + 1 | copy k + 2
 *     stream work   filter k   | filter k + 1
 *     stream out    copy k - 1 | copy k
 *
 * Order of the steps:
 *   - the filter waits, on the device, for `copied` of its chunk;
 *   - the host waits for `filtered` before it reads the count, which the
 *     kernels have written to pinned memory, and enqueues the copy out;
 *   - the host waits for `drained` before it writes the copied output. Only then
 *     it refills a slot, so that the slot's memory is not in use.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cuda.h"

#include "core/status.h"

#include <stdlib.h>

enum {
    USUAL_SLOTS = 4
};

/* Does the device reach this memory? *on_host_p: does the host reach it, too? */
winnow_status winnow__pipe_look_at(const void *memory, bool *reached_p,
                                   bool *on_host_p) {
    struct cudaPointerAttributes about;
    WINNOW__TRY(winnow__cuda_status(cudaPointerGetAttributes(&about, memory),
                                    "asking what memory an address is of"));
    *reached_p = about.type != cudaMemoryTypeUnregistered;
    *on_host_p = about.type == cudaMemoryTypeUnregistered ||
                 about.type == cudaMemoryTypeHost;
    return WINNOW_OK;
}

static winnow_status finish_chunks(winnow__pipe_on_device *own) {
    WINNOW__TRY(winnow__pipe_filling(own) != NULL ? winnow__pipe_launch(own)
                                                  : WINNOW_OK);
    return winnow__pipe_advance(own, 0, 0);
}

winnow_status winnow__pipe_enter(const winnow_pipe *pipe,
                                 winnow__pipe_scope *scope) {
    WINNOW__TRY(winnow__enter(pipe->context, &scope->entered));
    scope->mode = cudaStreamCaptureModeRelaxed;
    winnow_status status =
        winnow__cuda_status(cudaThreadExchangeStreamCaptureMode(&scope->mode),
                            "entering the relaxed mode of capturing");
    if (status != WINNOW_OK)
        winnow__leave(pipe->context, scope->entered);
    return status;
}

void winnow__pipe_leave(const winnow_pipe *pipe, winnow__pipe_scope *scope) {
    cudaThreadExchangeStreamCaptureMode(&scope->mode);
    winnow__leave(pipe->context, scope->entered);
}

static winnow_status feed(winnow_pipe *pipe, winnow__source *source) {
    winnow__pipe_scope scope;
    WINNOW__TRY(winnow__pipe_enter(pipe, &scope));
    const bool registers = source->inputs != NULL &&
                           (pipe->options.flags & WINNOW_PIPE_REGISTER) != 0;
    winnow_status status = registers
                               ? winnow__pipe_feed_registered(pipe->own, source)
                               : winnow__pipe_feed_source(pipe->own, source);
    if (status != WINNOW_OK)
        winnow__pipe_drain(pipe->own);
    winnow__pipe_leave(pipe, &scope);
    return status;
}

static winnow_status finish(winnow_pipe *pipe) {
    winnow__pipe_scope scope;
    WINNOW__TRY(winnow__pipe_enter(pipe, &scope));
    winnow_status status = finish_chunks(pipe->own);
    if (status != WINNOW_OK)
        winnow__pipe_drain(pipe->own);
    winnow__pipe_leave(pipe, &scope);
    return status;
}

/* Which outputs are copied straight to their target, and which go through memory of the
 * pipe. */
static winnow_status look_at_outputs(winnow__pipe_on_device *own) {
    const winnow_pipe *const pipe = own->pipe;
    for (unsigned o = 0; o < pipe->output_count; o++) {
        const winnow_pipe_output *const output = &pipe->outputs[o];
        bool reached = false, on_host = true;
        own->drains[o] = true;
        if (output->target != WINNOW_PIPE_TO_MEMORY || output->capacity == 0)
            continue;
        winnow_status status =
            winnow__pipe_look_at(output->memory, &reached, &on_host);
        if (status != WINNOW_OK)
            return status;
        if (!on_host && output->kind != WINNOW_PIPE_ELEMENTS)
            return winnow__unsupported(
                "outputs[%u].memory is the device's: indices "
                "and masks go to the host's",
                o);
        own->drains[o] = !reached || output->kind == WINNOW_PIPE_INDICES;
    }
    return WINNOW_OK;
}

static void free_all(winnow__pipe_on_device *own) {
    winnow__pipe_drain(own);
    winnow__staging_destroy(own->staging);
    winnow__pipe_free_slots(own);
    if (own->workers != NULL)
        winnow__team_destroy(own->workers);
    free(own);
}

static winnow_status make(winnow__pipe_on_device *own) {
    const winnow_pipe *const pipe = own->pipe;
    own->slot_count =
        pipe->options.buffers != 0 ? pipe->options.buffers : USUAL_SLOTS;
    for (unsigned c = 0; c < pipe->column_count; c++)
        own->keyed |= UINT64_C(1) << pipe->columns[c].input;
    own->workers = winnow__pipe_team(pipe);
    if (own->workers == NULL)
        return winnow__no_memory("a pipe");
    WINNOW__TRY(look_at_outputs(own));
    WINNOW__TRY(winnow__pipe_make_slots(own));
    own->staging = winnow__staging_create(own->pipe, own->in);
    return own->staging == NULL ? winnow__no_memory("a pipe") : WINNOW_OK;
}

static winnow_status create(winnow_pipe *pipe) {
    winnow__pipe_scope scope;
    winnow__pipe_on_device *const own = calloc(1, sizeof *own);
    if (own == NULL)
        return winnow__no_memory("a pipe");
    own->pipe = pipe;
    winnow_status status = winnow__pipe_enter(pipe, &scope);
    if (status != WINNOW_OK) {
        free(own);
        return status;
    }
    status = make(own);
    if (status == WINNOW_OK)
        pipe->own = own;
    else
        free_all(own);
    winnow__pipe_leave(pipe, &scope);
    return status;
}

/* If the device cannot be made current, it is lost, and so is its memory. */
static void destroy(winnow_pipe *pipe) {
    winnow__pipe_on_device *const own = pipe->own;
    winnow__pipe_scope scope;
    const bool there = winnow__pipe_enter(pipe, &scope) == WINNOW_OK;
    free_all(own);
    if (there)
        winnow__pipe_leave(pipe, &scope);
}

const winnow__pipe_backend winnow__cuda_pipe = {
    .create = create, .feed = feed, .finish = finish, .destroy = destroy};
