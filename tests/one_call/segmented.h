/*
 * A call of winnow_segmented_copy_if on a backend, with canaries around its
 * outputs, and its check against a loop over the elements.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_TESTS_SEGMENTED_H
#define WINNOW_TESTS_SEGMENTED_H

#include "data.h"
#include "region.h"
#include "rules.h"

struct segmented_call {
    struct rule rule;
    const struct pattern *pattern;
    uint64_t seed, n, number, capacity;
    unsigned in_ahead, out_ahead; /* elements, from a boundary of 16 bytes */
    bool wide, uncounted;
    bool limited;   /* d_n is given, and says n / 2 */
    bool same_word; /* it is *d_count */
    bool placed;    /* d_position is given, and says `position` */
    uint64_t position;
    size_t workspace_bytes; /* 0: the context's own */
};

struct segmented {
    struct segmented_call call;
    const struct backend *backend;
    winnow_predicate *predicate;
    struct region in, offsets, out, counts, out_offsets;
    struct region numbers; /* the count, the position, the number of items */
    unsigned char *d_workspace;
};

/* Whatever is not given here is drawn by the seed. */
struct segmented_call segmented_draw(uint64_t seed, uint64_t n,
                                     winnow_type type);
void segmented_open(struct segmented *segmented, const struct backend *backend,
                    const struct segmented_call *call);
winnow_status segmented_enqueue(struct segmented *segmented);
/* Wait for it, if it was enqueued; is all as it should be? It closes in any
 * case. */
bool segmented_close(struct segmented *segmented, bool enqueued,
                     struct report *report);
/* All of that. */
bool segmented_run(const struct backend *backend,
                   const struct segmented_call *call, struct report *report);
/* The bytes of workspace of a plan for it, made without an address. */
size_t segmented_plan(const struct backend *backend,
                      const struct segmented_call *call);

#endif
