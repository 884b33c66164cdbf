/*
 * What the host backend passes to an operation.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "core/operation.h"
#include "bit_loops.h"
#include "team.h"

enum {
    /* Bytes of input that a thread takes at a time. */
    WINNOW__HOST_CHUNK = 128 << 10,
    /* Bytes of a thread's buffer: for a chunk, or for the values of
     * expressions, which need most. Memory is used only when it is written. */
    WINNOW__HOST_BUFFER = 352 << 10
};

struct winnow__host_task {
    const winnow__host_loops *loops;
    const winnow__host_bit_loops *bit_loops;
    winnow__team *team;
    uint64_t streamed_bytes; /* the input is too large to stay in the caches */
    const winnow_predicate *predicate;
    const void *in;
    uint64_t n;     /* the number of items, after launch.d_n was read */
    uint64_t bound; /* the caller's n, which decides a selection's layout */
    void *memory;   /* as the operation's host_bytes() asks, 16-aligned */
};

static inline const unsigned char *
winnow__host_element(const winnow__host_task *task, uint64_t i) {
    return (const unsigned char *)task->in +
           (i << task->predicate->type->log2_size);
}

/* How many bytes ahead an input is prefetched. CPUs do not prefetch across pages. The
 * prefetch stays within the `left` bytes that remain of the input, after which there
 * may be no memory. */
static inline size_t winnow__host_ahead(uint64_t left) {
    enum {
        AHEAD = 8192
    };
    return left >= AHEAD ? AHEAD : 0;
}

/* The team of a host context. If it is busy, another call runs in its caller's
 * thread only. */
winnow_status winnow__host_create(winnow_context **context_p);
winnow__team *winnow__host_team(const winnow_context *context);
const winnow__host_loops *winnow__host_loops_of(const winnow_context *context);
/* How many of n elements pass, counted by the caller's thread. */
uint64_t winnow__host_count_part(const winnow__host_task *task, uint64_t start,
                                 uint64_t n);
/* Like memcpy(), but with the same speed for all addresses. */
void winnow__host_copy_bytes(void *to, const void *from, size_t bytes);
/* Like memcpy(), with stores that bypass the caches. */
void winnow__host_stream(const winnow__host_loops *loops, void *to,
                         const void *from, size_t bytes);
/* Inputs of more bytes are faster with such stores, if `cpus` CPUs share the
 * last cache of `cache` bytes. 0: unknown. */
uint64_t winnow__host_streamed_bytes(uint64_t cache, unsigned cpus);
