/*
 * A complete chunk on the device: copied, filtered, counted, copied out,
 * written. cuda.c explains the order of these steps.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cuda.h"

/* Wait until nothing is in use. */
void winnow__pipe_drain(winnow__pipe_on_device *own) {
    if (own->in != NULL)
        cudaStreamSynchronize(own->in);
    if (own->work != NULL)
        cudaStreamSynchronize(own->work);
    if (own->out != NULL)
        cudaStreamSynchronize(own->out);
}

winnow_status winnow__pipe_copy(void *to, const void *from, uint64_t bytes,
                                cudaStream_t stream, const char *what) {
    return bytes == 0
               ? WINNOW_OK
               : winnow__cuda_status(cudaMemcpyAsync(to, from, bytes,
                                                     cudaMemcpyDefault, stream),
                                     what);
}

/* Copy the staged items, which are the last ones of the slot. */
winnow_status winnow__pipe_copy_staged(winnow__pipe_on_device *own,
                                       winnow__pipe_slot *slot) {
    const winnow_pipe *const pipe = own->pipe;
    const uint64_t first = slot->piece.n - slot->staged;
    for (unsigned i = 0; i < pipe->input_count; i++) {
        const uint64_t bytes = pipe->inputs[i].element_bytes;
        if (slot->staged_in[i] != NULL)
            WINNOW__TRY(winnow__pipe_copy(
                (unsigned char *)slot->d_in[i] + first * bytes,
                (unsigned char *)slot->staged_in[i] + first * bytes,
                slot->staged * bytes, own->in,
                "copying a chunk to the device"));
    }
    slot->staged = 0;
    return WINNOW_OK;
}

/* Launch a chunk, which is complete. */
winnow_status winnow__pipe_launch(winnow__pipe_on_device *own) {
    winnow__pipe_slot *const slot = winnow__pipe_slot_of(own, own->launched);
    winnow_status status = winnow__pipe_copy_staged(own, slot);
    if (status == WINNOW_OK)
        status = winnow__cuda_status(cudaEventRecord(slot->copied, own->in),
                                     "recording that a chunk is copied");
    if (status == WINNOW_OK)
        status =
            winnow__cuda_status(cudaStreamWaitEvent(own->work, slot->copied, 0),
                                "waiting for a chunk's copy");
    if (status == WINNOW_OK)
        status = winnow__chunk_filter(own->pipe, &slot->chunk, slot->piece.n,
                                      own->work);
    if (status == WINNOW_OK)
        status = winnow__cuda_status(cudaEventRecord(slot->filtered, own->work),
                                     "recording that a chunk is filtered");
    own->launched++;
    return status;
}

static winnow_status copy_output(winnow__pipe_on_device *own,
                                 const winnow__pipe_slot *slot, unsigned o) {
    const winnow_pipe_output *const output = &own->pipe->outputs[o];
    const winnow__piece *const piece = &slot->piece;
    const size_t bytes = winnow__pipe_output_bytes(own->pipe, o);
    const uint64_t count = output->target == WINNOW_PIPE_TO_MEMORY
                               ? winnow__sink_room(output, piece)
                               : winnow__sink_count(output, piece);
    void *const to = own->drains[o]
                         ? slot->drained_out[o]
                         : (unsigned char *)output->memory +
                               winnow__sink_start(output, piece) * bytes;
    return count == 0
               ? WINNOW_OK
               : winnow__pipe_copy(to, slot->chunk.out[o], count * bytes,
                                   own->out, "copying what is kept of a chunk");
}

/* Read the count of the next chunk, and enqueue the copy of what it keeps. */
static winnow_status settle(winnow__pipe_on_device *own) {
    winnow__pipe_slot *const slot = winnow__pipe_slot_of(own, own->settled);
    winnow_status status =
        winnow__cuda_status(cudaEventSynchronize(slot->filtered),
                            "waiting until a chunk is filtered");
    if (status != WINNOW_OK)
        return status;
    slot->piece.before = own->kept;
    slot->piece.kept = *slot->chunk.count;
    own->kept += slot->piece.kept;
    own->items += slot->piece.n;
    for (unsigned o = 0; o < own->pipe->output_count && status == WINNOW_OK;
         o++)
        status = copy_output(own, slot, o);
    if (status == WINNOW_OK)
        status = winnow__cuda_status(cudaEventRecord(slot->drained, own->out),
                                     "recording that a chunk is copied out");
    own->settled++;
    return status;
}

static winnow_status write_output(winnow__pipe_on_device *own,
                                  winnow__pipe_slot *slot, unsigned o) {
    const winnow_pipe_output *const output = &own->pipe->outputs[o];
    const winnow__piece *const piece = &slot->piece;
    const size_t bytes = winnow__pipe_output_bytes(own->pipe, o);
    void *const from = slot->drained_out[o];
    const bool to_memory = output->target == WINNOW_PIPE_TO_MEMORY;
    const uint64_t count = to_memory ? winnow__sink_room(output, piece)
                                     : winnow__sink_count(output, piece);
    if (output->kind == WINNOW_PIPE_INDICES)
        winnow__sink_shift(from, count, piece->first);
    if (!to_memory)
        return winnow__sink_write(own->pipe, o, piece, from, &own->pipe->error);
    if (count != 0)
        winnow__team_copy(own->workers,
                          (unsigned char *)output->memory +
                              winnow__sink_start(output, piece) * bytes,
                          from, count * bytes);
    return WINNOW_OK;
}

/* Write what the next chunk keeps. */
static winnow_status deliver(winnow__pipe_on_device *own) {
    winnow_pipe *const pipe = own->pipe;
    winnow__pipe_slot *const slot = winnow__pipe_slot_of(own, own->delivered);
    WINNOW__TRY(winnow__cuda_status(cudaEventSynchronize(slot->drained),
                                    "waiting until a chunk is copied out"));
    for (unsigned o = 0; o < pipe->output_count; o++)
        if (own->drains[o])
            WINNOW__TRY(write_output(own, slot, o));
    pipe->state.items += slot->piece.n;
    pipe->state.kept += slot->piece.kept;
    own->delivered++;
    return winnow__pipe_progress(pipe);
}

/* Enqueue the copy out of all launched chunks but the newest `counted`, and write all
 * but the newest `old`. */
winnow_status winnow__pipe_advance(winnow__pipe_on_device *own,
                                   uint64_t counted, uint64_t old) {
    while (own->launched - own->settled > counted)
        WINNOW__TRY(settle(own));
    while (own->launched - own->delivered > old)
        WINNOW__TRY(deliver(own));
    return WINNOW_OK;
}
