/*
 * The memory, streams and events of a pipe on a device.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cuda.h"

#include "core/round.h"
#include "core/status.h"

#include <stdlib.h>

enum {
    ALIGNMENT = 256
};

/* ------------------------------------------------------------------- layout */

static uint64_t room(uint64_t bytes) {
    return winnow__round_up(bytes, ALIGNMENT);
}

static uint64_t input_bytes(const winnow_pipe *pipe, unsigned i) {
    return room(pipe->chunk_items * pipe->inputs[i].element_bytes);
}

static uint64_t output_bytes(const winnow_pipe *pipe, unsigned o) {
    return room(pipe->chunk_items * winnow__pipe_output_bytes(pipe, o));
}

/* Lay out memory for all inputs, from *at on. */
static void lay_out_inputs(const winnow_pipe *pipe, unsigned char **at,
                           void **inputs) {
    for (unsigned i = 0; i < pipe->input_count; i++) {
        inputs[i] = *at;
        *at += input_bytes(pipe, i);
    }
}

static uint64_t all_input_bytes(const winnow_pipe *pipe) {
    uint64_t bytes = 0;
    for (unsigned i = 0; i < pipe->input_count; i++)
        bytes += input_bytes(pipe, i);
    return bytes;
}

/* -------------------------------------------------------------------- slots */

static winnow_status make_device_memory(const winnow_pipe *pipe,
                                        winnow__pipe_slot *slot) {
    uint64_t bytes = all_input_bytes(pipe) + room(pipe->selection_bytes);
    for (unsigned o = 0; o < pipe->output_count; o++)
        bytes += output_bytes(pipe, o);
    WINNOW__TRY(winnow__cuda_status(cudaMalloc(&slot->d_memory, bytes),
                                    "allocating a chunk on the device"));
    unsigned char *at = slot->d_memory;
    lay_out_inputs(pipe, &at, slot->d_in);
    for (unsigned o = 0; o < pipe->output_count; o++) {
        slot->chunk.out[o] = at;
        at += output_bytes(pipe, o);
    }
    slot->chunk.selection = at;
    return WINNOW_OK;
}

static winnow_status make_drained(const winnow__pipe_on_device *own,
                                  winnow__pipe_slot *slot) {
    const winnow_pipe *const pipe = own->pipe;
    uint64_t bytes = 0;
    for (unsigned o = 0; o < pipe->output_count; o++)
        bytes += own->drains[o] ? output_bytes(pipe, o) : 0;
    if (bytes == 0)
        return WINNOW_OK;
    winnow_status status =
        winnow__cuda_status(cudaMallocHost(&slot->drained_memory, bytes),
                            "allocating pinned memory for an output");
    unsigned char *at = slot->drained_memory;
    for (unsigned o = 0; o < pipe->output_count && status == WINNOW_OK; o++)
        if (own->drains[o]) {
            slot->drained_out[o] = at;
            at += output_bytes(pipe, o);
        }
    return status;
}

winnow_status winnow__pipe_make_event(cudaEvent_t *event) {
    return winnow__cuda_status(
        cudaEventCreateWithFlags(event, cudaEventDisableTiming),
        "creating an event of a pipe");
}

static winnow_status make_slot(const winnow__pipe_on_device *own,
                               winnow__pipe_slot *slot, uint64_t *count) {
    slot->chunk.count = count;
    if (!winnow__chunk_create(own->pipe, &slot->chunk))
        return winnow__no_memory("a pipe");
    WINNOW__TRY(make_device_memory(own->pipe, slot));
    WINNOW__TRY(make_drained(own, slot));
    WINNOW__TRY(winnow__pipe_make_event(&slot->copied));
    WINNOW__TRY(winnow__pipe_make_event(&slot->filtered));
    return winnow__pipe_make_event(&slot->drained);
}

static winnow_status make_stream(cudaStream_t *stream) {
    return winnow__cuda_status(
        cudaStreamCreateWithFlags(stream, cudaStreamNonBlocking),
        "creating a stream of a pipe");
}

winnow_status winnow__pipe_make_slots(winnow__pipe_on_device *own) {
    own->slots = calloc(own->slot_count, sizeof *own->slots);
    if (own->slots == NULL)
        return winnow__no_memory("a pipe");
    WINNOW__TRY(winnow__cuda_status(
        cudaMallocHost((void **)&own->counts,
                       own->slot_count * sizeof *own->counts),
        "allocating pinned memory for counts"));
    WINNOW__TRY(make_stream(&own->in));
    WINNOW__TRY(make_stream(&own->work));
    WINNOW__TRY(make_stream(&own->out));
    for (unsigned s = 0; s < own->slot_count; s++)
        WINNOW__TRY(make_slot(own, &own->slots[s], &own->counts[s]));
    return WINNOW_OK;
}

winnow_status winnow__pipe_make_staging(winnow__pipe_on_device *own,
                                        winnow__pipe_slot *slot) {
    if (slot->staged_memory != NULL)
        return WINNOW_OK;
    winnow_status status = winnow__cuda_status(
        cudaMallocHost(&slot->staged_memory, all_input_bytes(own->pipe)),
        "allocating pinned memory for an input");
    if (status != WINNOW_OK) {
        slot->staged_memory = NULL;
        return status;
    }
    unsigned char *at = slot->staged_memory;
    lay_out_inputs(own->pipe, &at, slot->staged_in);
    return WINNOW_OK;
}

static void free_slot(winnow__pipe_slot *slot) {
    if (slot->drained != NULL)
        cudaEventDestroy(slot->drained);
    if (slot->filtered != NULL)
        cudaEventDestroy(slot->filtered);
    if (slot->copied != NULL)
        cudaEventDestroy(slot->copied);
    if (slot->drained_memory != NULL)
        cudaFreeHost(slot->drained_memory);
    if (slot->staged_memory != NULL)
        cudaFreeHost(slot->staged_memory);
    if (slot->d_memory != NULL)
        cudaFree(slot->d_memory);
    winnow__chunk_destroy(&slot->chunk);
}

void winnow__pipe_free_slots(winnow__pipe_on_device *own) {
    for (unsigned s = 0; s < own->slot_count && own->slots != NULL; s++)
        free_slot(&own->slots[s]);
    if (own->out != NULL)
        cudaStreamDestroy(own->out);
    if (own->work != NULL)
        cudaStreamDestroy(own->work);
    if (own->in != NULL)
        cudaStreamDestroy(own->in);
    if (own->counts != NULL)
        cudaFreeHost(own->counts);
    free(own->slots);
}
