/*
 * SPDX-License-Identifier: Apache-2.0
 */
#include "segments.h"

#include "../util.h"

/* How many survivors precede each segment, by the host's reckoning. */
static void expect_offsets(const segments *c) {
#pragma omp parallel for schedule(dynamic, 64)
    for (uint64_t s = 0; s < c->number; s++) {
        uint32_t count = 0;
        for (uint64_t i = c->offsets[s]; i < c->offsets[s + 1]; i++)
            count += c->in[i] < c->threshold;
        c->out_offsets[s + 1] = count;
    }
    c->out_offsets[0] = 0;
    for (uint64_t s = 0; s < c->number; s++)
        c->out_offsets[s + 1] += c->out_offsets[s];
}

/* Segment s has the size of rank(s), so that the large ones lie apart. The
 * number is a power of two. */
static double zipf(const segments *c, uint64_t s) {
    return 1.0 / (double)((s * 0x9e3779b1u & (c->number - 1)) + 1);
}

void segments_make_offsets(const segments *c, bool by_zipf) {
    double total = 0, before = 0;
    for (uint64_t s = 0; s < c->number; s++)
        total += by_zipf ? zipf(c, s) : 1;
    for (uint64_t s = 0; s < c->number; s++) {
        c->offsets[s] = (uint32_t)((double)c->n * (before / total));
        before += by_zipf ? zipf(c, s) : 1;
    }
    c->offsets[c->number] = (uint32_t)c->n;
    c->lab->run->platform.store(c->d_offsets, c->offsets,
                                (c->number + 1) * sizeof *c->offsets);
    expect_offsets(c);
}

static void expect(segments *c) {
    c->kept = 0;
    for (uint64_t i = 0; i < c->n; i++)
        if (c->in[i] < c->threshold)
            c->expected[c->kept++] = c->in[i];
}

static void make_input(segments *c) {
    c->in = lab_host(c->lab, c->n * SEGMENTS_BYTES);
    c->expected = lab_host(c->lab, c->n * SEGMENTS_BYTES);
#pragma omp parallel for
    for (uint64_t i = 0; i < c->n; i++)
        c->in[i] = (int32_t)(uint32_t)lab_random(31, i);
    c->d_in = lab_send(c->lab, c->in, c->n * SEGMENTS_BYTES);
    c->d_out = lab_device(c->lab, c->n * SEGMENTS_BYTES);
}

void segments_open(segments *c) {
    const uint64_t most = c->n < SEGMENTS_MOST ? c->n : SEGMENTS_MOST;
    const size_t offset_bytes = (most + 2) * sizeof(uint32_t);
    make_input(c);
    c->offsets = lab_host(c->lab, offset_bytes);
    c->out_offsets = lab_host(c->lab, offset_bytes);
    c->d_offsets = lab_device(c->lab, offset_bytes);
    c->d_out_offsets = lab_device(c->lab, offset_bytes);
    c->d_counts = lab_device(c->lab, SEGMENTS_MOST_CALLS * sizeof *c->d_counts);
}

void segments_set_share(segments *c, double share) {
    c->threshold = lab_bound(share);
    bench_check(winnow_predicate_compare(&c->predicate, WINNOW_INT32, WINNOW_LT,
                                         &c->threshold),
                "winnow_predicate_compare");
    expect(c);
}
