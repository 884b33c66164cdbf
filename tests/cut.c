/*
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include "cut.h"

#include <stdlib.h>

#include "pack/columns.h"

/* What the context is cut into; or nothing. */
static winnow__shape current = WINNOW__SHAPE_COUNT;

winnow__cuda_context *cut_context(const struct backend *backend) {
    return (winnow__cuda_context *)backend->context;
}

winnow__device_shapes *cut_shapes(const struct backend *backend) {
    winnow__device_shapes *shapes;

    if (winnow__device_shapes_of(backend->context, &shapes) != WINNOW_OK)
        abort();
    return shapes;
}

void cut_sink_blocks(const struct backend *backend, uint64_t many) {
    winnow__sink_blocks *blocks;

    if (winnow__sink_blocks_of(backend->context, &blocks) != WINNOW_OK)
        abort();
    blocks->many = many;
}

bool cut_exists(winnow__shape shape) {
    const winnow__ladder ladder = winnow__shapes[shape].ladder;

    return ladder >= WINNOW__SINGLE_BLOCK && ladder <= WINNOW__LOOK_BACK;
}

/* The same, of indices. */
static bool cuts_indices(winnow__shape shape) {
    return winnow__shapes[shape].ladder >= WINNOW__INDEX_SINGLE_BLOCK;
}

/* Of elements of 2 bytes, of which there are all shapes. */
static const winnow__kernel *kernel_of(winnow__shape shape) {
    return &(*winnow__shapes[shape].kernels)[1][WINNOW__INTERVAL];
}

bool cut_is_staged(winnow__shape shape) {
    return kernel_of(shape)->vector_bytes == 16;
}

winnow__shape cut_numbered(uint64_t number) {
    unsigned cuts = 0;

    FOR_EACH_CUT(shape) {
        cuts++;
    }
    number %= cuts;
    FOR_EACH_CUT(shape) {
        if (number-- == 0)
            return shape;
    }
    return WINNOW__SHAPE_COUNT;
}

static uint64_t most_tiles(winnow__shape shape) {
    if (cut_is_staged(shape))
        return UINT64_MAX;
    switch (winnow__shapes[shape].ladder) {
    case WINNOW__SINGLE_BLOCK:
    case WINNOW__INDEX_SINGLE_BLOCK:
        return 1;
    case WINNOW__ONE_CLUSTER:
    case WINNOW__INDEX_CLUSTER:
        return WINNOW__MOST_CLUSTER;
    case WINNOW__ONE_WAVE:
        return WINNOW__MOST_ONE_WAVE;
    default:
        return UINT64_MAX;
    }
}

uint64_t cut_at_most(uint64_t n, winnow__shape shape) {
    const uint64_t items = kernel_of(shape)->tile_bytes / sizeof(int16_t);
    const uint64_t tiles = most_tiles(shape);

    return n / items < tiles ? n : tiles * items;
}

void cut_into(const struct backend *backend, winnow__shape shape) {
    winnow__device_shapes *shapes = cut_shapes(backend);

    current = shape;
    for (winnow__shape any = 0; any < WINNOW__SHAPE_COUNT; any++) {
        if (!cut_exists(any) && !cuts_indices(any))
            continue;
        for (int size = 0; size < WINNOW__SIZES; size++) {
            const bool there =
                (*winnow__shapes[any].kernels)[size][0].function != NULL;

            shapes->limits[any][size] =
                any == shape && there ? cut_at_most(UINT64_MAX, shape) : 0;
        }
    }
    /* What does not fit goes on in small tiles. */
    for (int size = 0; size < WINNOW__SIZES; size++)
        if (shape != WINNOW__SHAPE_tile_scan_large)
            shapes->limits[WINNOW__SHAPE_tile_scan_small][size] = UINT64_MAX;
}

void cut_limit_blocks(const struct backend *backend, unsigned blocks) {
    winnow__device_shapes *shapes = cut_shapes(backend);

    for (int k = 0; k < WINNOW__SHAPE_COUNT; k++)
        for (int size = 0; size < WINNOW__SIZES; size++)
            for (int kind = 0; kind < WINNOW__TEST_KINDS; kind++)
                if (atomic_load(&shapes->resident[k][size][kind]) != 0)
                    atomic_store(&shapes->resident[k][size][kind], blocks);
}

/* Does the strategy take the shape that the context is cut into? */
static bool takes_current(const struct strategy_row *row) {
    if (current == WINNOW__SHAPE_COUNT)
        return true;
    switch (winnow__shapes[current].ladder) {
    case WINNOW__AGGREGATED:
    case WINNOW__INDEX_AGGREGATED:
        return row->strategy == WINNOW_TILE_AGGREGATED;
    case WINNOW__ONE_WAVE:
    case WINNOW__LOOK_BACK:
    case WINNOW__INDEX_ONE_WAVE:
    case WINNOW__INDEX_LOOK_BACK:
        return row->strategy == WINNOW_TILE_SCAN;
    default:
        return true;
    }
}

bool cut_is_ours(const struct strategy_row *row) {
    return (row->strategy == WINNOW_TILE_AGGREGATED ||
            (row->strategy == WINNOW_TILE_SCAN &&
             row->order == WINNOW_STABLE)) &&
           takes_current(row);
}

bool cut_run(struct trial *trial, uint64_t n, bool in_place,
             struct report *report) {
    FOR_EACH_STRATEGY(row, true) {
        struct trial_call call = TRIAL_CALL_INIT;

        if (!cut_is_ours(row) || (in_place && row->order != WINNOW_STABLE))
            continue;
        call.row = row;
        call.n = n;
        call.in_place = in_place;
        if (!trial_run(trial, &call, report))
            return false;
    }
    return true;
}
