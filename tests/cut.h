/*
 * Have TILE_AGGREGATED and TILE_SCAN cut inputs into tiles of one shape,
 * whatever the size of the input would choose. Looks inside of the library: it
 * sets what a context knows of its device.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_TESTS_CUT_H
#define WINNOW_TESTS_CUT_H

#include "cuda/context.h"
#include "tile/shapes.h"

#include "strategies.h"
#include "trial.h"

/* Every shape that one of the two cuts inputs into; those of one ladder; and
 * those whose survivors are staged. */
#define FOR_EACH_CUT(shape)                                                    \
    for (winnow__shape shape = 0; shape < WINNOW__SHAPE_COUNT; shape++)        \
        if (cut_exists(shape))
#define FOR_EACH_CUT_OF(LADDER, shape)                                         \
    for (winnow__shape shape = 0; shape < WINNOW__SHAPE_COUNT; shape++)        \
        if (winnow__shapes[shape].ladder == (LADDER))
#define FOR_EACH_STAGED_CUT(shape) FOR_EACH_CUT(shape) if (cut_is_staged(shape))

bool cut_exists(winnow__shape shape);
bool cut_is_staged(winnow__shape shape);

/* One of them, from any number. */
winnow__shape cut_numbered(uint64_t number);

/* The context, from inside. */
winnow__cuda_context *cut_context(const struct backend *backend);

/* What it knows of the kernels' shapes. */
winnow__device_shapes *cut_shapes(const struct backend *backend);

/* A sink's block takes more tiles from this many blocks on. */
void cut_sink_blocks(const struct backend *backend, uint64_t many);

/* From now on, in all calls with the context; one context at a time. */
void cut_into(const struct backend *backend, winnow__shape shape);

/* The most elements, whatever their size, that a shape is good for, but no more
 * than n; larger inputs get tiles of another. */
uint64_t cut_at_most(uint64_t n, winnow__shape shape);

/* So many blocks run together, however many the device could hold; of those
 * kernels alone that it was asked about, by a call. */
void cut_limit_blocks(const struct backend *backend, unsigned blocks);

/* Is it TILE_AGGREGATED, or TILE_SCAN asked for a stable result? And if there
 * is a cut, does it take that shape? */
bool cut_is_ours(const struct strategy_row *row);

/* A call of n elements with each strategy of ours; in place, with those that
 * are stable. Checked. */
bool cut_run(struct trial *trial, uint64_t n, bool in_place,
             struct report *report);

#endif
