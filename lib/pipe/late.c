/*
 * Late fetch: which inputs of a chunk stay in pinned host memory. The device then reads
 * only their elements that are kept.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cuda.h"

#include "core/round.h"

enum {
    CHUNK_OF_PROBES = 16 /* probes take this part of a chunk */
};

/* Measured on an H200 with elements of 128 to 1024 bytes: a pipe fetches 35 GB/s (278
 * million elements of 128 bytes a second) and copies 55.3 GB/s. Shorter elements are
 * assumed to have the same rate per element. */
static double most_kept(uint32_t element_bytes) {
    const double fraction = element_bytes / (55.3e9 / 278e6), most = 0.6;
    return fraction < most ? fraction : most;
}

/* The fraction that is expected to be kept; above 1: unknown. */
static double expected(const winnow__pipe_on_device *own) {
    if (own->pipe->options.selectivity > 0)
        return own->pipe->options.selectivity;
    return own->items != 0 ? (double)own->kept / (double)own->items : 2;
}

static uint64_t possible(const winnow__pipe_on_device *own, uint64_t pinned) {
    return pinned & ~own->keyed;
}

uint64_t winnow__pipe_next_items(const winnow__pipe_on_device *own,
                                 uint64_t pinned) {
    const winnow_pipe *const pipe = own->pipe;
    const uint64_t few =
        winnow__round_up(pipe->chunk_items / CHUNK_OF_PROBES, 64);
    const bool decides = pipe->options.fetch == WINNOW_PIPE_FETCH_AUTO &&
                         expected(own) > 1 && possible(own, pinned) != 0;
    return decides && few < pipe->chunk_items ? few : pipe->chunk_items;
}

uint64_t winnow__pipe_late_inputs(const winnow__pipe_on_device *own,
                                  uint64_t pinned) {
    const winnow_pipe *const pipe = own->pipe;
    uint64_t late = 0;
    if (pipe->options.fetch == WINNOW_PIPE_FETCH_WHOLE)
        return 0;
    if (pipe->options.fetch == WINNOW_PIPE_FETCH_LATE)
        return possible(own, pinned);
    for (unsigned i = 0; i < pipe->input_count; i++)
        if (expected(own) < most_kept(pipe->inputs[i].element_bytes))
            late |= possible(own, pinned) & UINT64_C(1) << i;
    return late;
}
