/*
 * The input of the experiment with segments, and what is expected of it.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_BENCH_SELECTIONS_SEGMENTS_H
#define WINNOW_BENCH_SELECTIONS_SEGMENTS_H

#include "../lab.h"
#include "cub.h"

#define SEGMENTS_BYTES sizeof(int32_t)
/* More segments than these are not called one by one. */
#define SEGMENTS_MOST_CALLS 1024
#define SEGMENTS_MOST (UINT64_C(1) << 24)

typedef struct segments {
    bench_lab *lab;
    const selections_cub *cub; /* or NULL */
    uint64_t n, kept;
    uint64_t number; /* of segments */
    int32_t threshold;
    winnow_predicate *predicate;
    int32_t *in, *expected; /* the survivors */
    uint32_t *offsets, *out_offsets;
    int32_t *d_in, *d_out;
    uint32_t *d_offsets, *d_out_offsets;
    uint64_t *d_counts;   /* of calls */
    winnow_launch launch; /* stable, with its workspace */
    void *d_temp;         /* CUB's */
    size_t temp_bytes;
} segments;

/* The elements, and room for everything. */
void segments_open(segments *c);
/* Keep this share of them. */
void segments_set_share(segments *c, double share);
/* c->number segments: a power of two, or 1. */
void segments_make_offsets(const segments *c, bool by_zipf);

#endif
