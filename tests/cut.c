/*
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include "cut.h"

winnow__cuda_context *cut_context(const struct backend *backend) {
    return (winnow__cuda_context *)backend->context;
}

static uint64_t most_items(enum cut cut) {
    switch (cut) {
    case ALONE:
        return 2048;
    case CLUSTER:
        return WINNOW__MOST_CLUSTER * UINT64_C(4096);
    case ROWS_1024:
        return WINNOW__MOST_RESIDENT * UINT64_C(1024);
    case ROWS_2048:
        return WINNOW__MOST_RESIDENT * UINT64_C(2048);
    case ROWS_4096:
        return WINNOW__MOST_RESIDENT * UINT64_C(4096);
    default:
        return UINT64_MAX;
    }
}

uint64_t cut_at_most(uint64_t n, enum cut cut) {
    const uint64_t most = most_items(cut);

    return n < most ? n : most;
}

void cut_into(const struct backend *backend, enum cut cut) {
    winnow__cuda_context *context = cut_context(backend);
    const uint64_t all = UINT64_C(1) << 40;

    for (int size = 0; size < WINNOW__SIZES; size++) {
        winnow__limits *limits = &context->limits[size];

        limits->alone = cut == ALONE ? all : 0;
        limits->aggregated_cluster = limits->scan_cluster =
            cut == CLUSTER ? all : 0;
        for (int i = 0; i < WINNOW__ROW_KINDS; i++)
            limits->aggregated_rows[i] = limits->resident_rows[i] =
                cut == (enum cut)(ROWS_1024 + i) ? all : 0;
        limits->aggregated_small = cut == SMALL ? all : 0;
        limits->aggregated_medium = cut == MEDIUM ? all : 0;
        limits->resident_small = CLUSTER <= cut && cut <= SMALL ? all : 0;
        limits->resident_large = cut == MEDIUM ? all : 0;
        limits->scan_small = cut == LARGE ? 0 : all;
    }
}

void cut_limit_blocks(const struct backend *backend, unsigned blocks) {
    winnow__cuda_context *context = cut_context(backend);

    for (int k = 0; k < WINNOW__TABLE_COUNT; k++)
        for (int size = 0; size < WINNOW__SIZES; size++)
            for (int kind = 0; kind < WINNOW__TEST_KINDS; kind++)
                if (atomic_load(&context->resident[k][size][kind]) != 0)
                    atomic_store(&context->resident[k][size][kind], blocks);
}

bool cut_is_ours(const struct strategy_row *row) {
    return row->strategy == WINNOW_TILE_AGGREGATED ||
           (row->strategy == WINNOW_TILE_SCAN && row->order == WINNOW_STABLE);
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
