/*
 * What the host backend hands to an operation.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "core/operation.h"
#include "bit_loops.h"
#include "team.h"

enum {
    /* What a thread takes at a time, in bytes of input. */
    WINNOW__HOST_CHUNK = 128 << 10,
    /* Of a team's thread, for a chunk, or for the values of expressions, which
     * are the most. Only what is written takes memory. */
    WINNOW__HOST_BUFFER = 352 << 10
};

struct winnow__host_task {
    const winnow__host_loops *loops;
    const winnow__host_bit_loops *bit_loops;
    winnow__team *team;
    uint64_t streamed_bytes; /* of a larger input nothing stays in the caches */
    const winnow_predicate *predicate;
    const void *in;
    uint64_t n;     /* items: launch.d_n is read */
    uint64_t bound; /* the caller's n, which a selection is laid out by */
    void *memory;   /* what the operation's host_bytes() asks for, 16-aligned */
};

static inline const unsigned char *
winnow__host_element(const winnow__host_task *task, uint64_t i) {
    return (const unsigned char *)task->in +
           (i << task->predicate->type->log2_size);
}

/* How far ahead an input is fetched, in bytes: across pages, which CPUs do not;
 * not beyond its end, `left` bytes behind, where there may be no memory. */
static inline size_t winnow__host_ahead(uint64_t left) {
    enum {
        AHEAD = 8192
    };
    return left >= AHEAD ? AHEAD : 0;
}

/* The team of a context of the host's. Calls that are made while it runs are
 * done by the threads that make them. */
winnow_status winnow__host_create(winnow_context **context_p);
winnow__team *winnow__host_team(const winnow_context *context);
const winnow__host_loops *winnow__host_loops_of(const winnow_context *context);
/* How many of n elements from one on pass, by the caller's thread. */
uint64_t winnow__host_count_part(const winnow__host_task *task, uint64_t start,
                                 uint64_t n);
/* As memcpy(), at the same rate wherever both are. */
void winnow__host_copy_bytes(void *to, const void *from, size_t bytes);
/* As memcpy(), with stores that do not fill the caches. */
void winnow__host_stream(const winnow__host_loops *loops, void *to,
                         const void *from, size_t bytes);
/* The input's bytes beyond which that is faster, where `cpus` CPUs share the
 * last cache of `cache` bytes; 0: unknown. */
uint64_t winnow__host_streamed_bytes(uint64_t cache, unsigned cpus);
