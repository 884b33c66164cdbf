/*
 * A call of winnow_unique on a backend, which packs keys alone or values too,
 * with canaries around its outputs, and its check against a loop over the keys.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_TESTS_RUNS_H
#define WINNOW_TESTS_RUNS_H

#include "region.h"

struct runs_call {
    uint64_t seed, n;
    size_t key_bytes;
    size_t value_bytes; /* 0: there are no values */
    /* Runs begin by chance, one key in `run`; 0: none but the first. Or, most
     * times, where a multiple of `period` bytes does. */
    uint64_t run, period;
    unsigned in_ahead; /* items before the keys, from a boundary of 16 bytes */
    unsigned out_ahead, values_ahead, values_out_ahead;
    uint64_t capacity;
    bool last, by_value;
    bool limited;           /* d_n is given, and says n / 2 */
    bool same_word;         /* it is *d_count */
    bool placed;            /* d_position is given, and says 0 */
    bool odd;               /* keys begin a byte later than that */
    bool uncounted;         /* d_count is NULL */
    size_t workspace_bytes; /* 0: the context's own */
};

struct runs {
    struct runs_call call;
    const struct backend *backend;
    struct region keys, values, keys_out, values_out;
    uint64_t *d_numbers; /* the count, the number of items, the position */
    unsigned char *d_workspace;
};

/* Whatever is not given here is drawn by the seed. */
struct runs_call runs_draw(uint64_t seed, uint64_t n, size_t key_bytes,
                           size_t value_bytes);
void runs_open(struct runs *runs, const struct backend *backend,
               const struct runs_call *call);
winnow_status runs_enqueue(struct runs *runs);
/* Wait for it; is all as it should be? It closes in any case. */
bool runs_close(struct runs *runs, struct report *report);
/* All of that. */
bool runs_run(const struct backend *backend, const struct runs_call *call,
              struct report *report);
/* The bytes of workspace of a plan for it, made without an address. */
size_t runs_plan(const struct backend *backend, const struct runs_call *call);

#endif
