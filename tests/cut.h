/*
 * Have TILE_AGGREGATED and TILE_SCAN cut inputs into tiles of one kind,
 * whatever the size of the input would choose. Looks inside of the library: it
 * sets what a context knows of its device.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_TESTS_CUT_H
#define WINNOW_TESTS_CUT_H

#include "cuda_context.h"

#include "strategies.h"
#include "trial.h"

enum cut {
    ALONE,
    CLUSTER,
    ROWS_1024, /* of so many elements. TILE_SCAN: blocks tell each other their
                  counts, up to MEDIUM */
    ROWS_2048,
    ROWS_4096,
    SMALL,
    MEDIUM, /* TILE_SCAN: large ones */
    LARGE,
    SMALL_SCAN,
    CUTS
};

/* The context, from inside. */
winnow__cuda_context *cut_context(const struct backend *backend);

/* From now on, in all calls with the context. */
void cut_into(const struct backend *backend, enum cut cut);

/* The most elements, whatever their size, that a cut is good for, but no more
 * than n; larger inputs get tiles of another kind. */
uint64_t cut_at_most(uint64_t n, enum cut cut);

/* So many blocks run together, however many the device could hold; of those
 * kernels alone that it was asked about, by a call. */
void cut_limit_blocks(const struct backend *backend, unsigned blocks);

/* Is it TILE_AGGREGATED, or TILE_SCAN asked for a stable result? */
bool cut_is_ours(const struct strategy_row *row);

/* A call of n elements with each strategy of ours; in place, with those that
 * are stable. Checked. */
bool cut_run(struct trial *trial, uint64_t n, bool in_place,
             struct report *report);

#endif
