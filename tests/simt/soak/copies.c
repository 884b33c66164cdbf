/*
 * Every strategy of copy_if and copy_index_if, every shape of tiles, the choice on
 * the device, counts and estimates.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include "soak.h"

#include <stdio.h>

#include "cut.h"
#include "element.h"
#include "tests/auto/profile.h"
#include "rules.h"
#include "trial.h"

/* Of the blocks of strategies without a shape of tiles. */
enum {
    TILE_BYTES = 256 * 2 * 16,
    SOFTWARE_TILE_BYTES = 512 * 2 * 16
};

static const struct strategy_row *row_of(winnow_strategy strategy,
                                         winnow_order order) {
    FOR_EACH_STRATEGY(row, true) {
        if (row->strategy == strategy && row->order == order)
            return row;
    }
    return NULL;
}

/* What a launch may have. */
static struct trial_call draw_call(const struct trial *trial, uint64_t seed) {
    struct trial_call call = TRIAL_CALL_INIT;

    call.n = trial->n;
    call.wide = soak_draw(seed, 1, 2) != 0;
    call.out_offset = (unsigned)soak_draw(seed, 2, TRIAL_OFFSETS);
    call.tolerance = 0.05;
    if (soak_draw(seed, 3, 4) == 0)
        call.capacity = soak_draw(seed, 4, call.n + 1);
    return call;
}

static void draw_bounds(struct trial_call *call, uint64_t seed) {
    if (!strategy_is_bounded(call->row))
        return;
    call->bound = (enum bound)soak_draw(seed, 5, 5); /* or none: 3 and 4 */
    if (call->bound > BOUND_IN_COUNT)
        call->bound = BOUND_NONE;
    if (call->bound != BOUND_NONE)
        call->d_n = call->n - soak_draw(seed, 6, call->n / 3 + 1);
    call->placed = soak_draw(seed, 7, 4) == 0;
    if (call->placed) {
        call->position = soak_draw(seed, 8, 50);
        call->capacity = call->position + soak_draw(seed, 9, call->n + 1);
    }
}

static bool run_call(const struct backend *backend, enum operation operation,
                     const struct strategy_row *row, winnow_type type,
                     uint64_t n, uint64_t seed, struct report *report) {
    struct rule rules[RULES_KINDS];
    struct trial_call call;
    struct trial trial;
    bool ok;

    rules_kinds(type, rules);
    trial_open(&trial, backend, &rules[soak_draw(seed, 10, RULES_KINDS)],
               &patterns[soak_draw(seed, 11, PATTERNS)], seed, n,
               (unsigned)soak_draw(seed, 12, TRIAL_OFFSETS));
    call = draw_call(&trial, seed);
    call.operation = operation;
    call.row = row;
    if (row != NULL)
        draw_bounds(&call, seed);
    call.tuned = row != NULL && row->strategy == WINNOW_AUTO;
    call.in_place = operation == COPY_IF && row->order == WINNOW_STABLE &&
                    !call.placed && soak_draw(seed, 13, 3) == 0;
    ok = trial_run(&trial, &call, report);
    return trial_close(&trial, report) && ok;
}

/* More than one tile, and at most two and a few. */
static uint64_t draw_n(uint64_t tile, uint64_t seed) {
    const uint64_t some = tile / 8 < 100 ? tile / 8 : 100;

    return tile * (1 + soak_draw(seed, 14, 2)) + 1 + soak_draw(seed, 15, some);
}

/* -------------------------------------------------------------- strategies */

static const winnow_strategy atomics[] = {
    WINNOW_GLOBAL_ATOMIC, WINNOW_SHARED_ATOMIC, WINNOW_WARP_AGGREGATED,
    WINNOW_WARP_SHARED, WINNOW_SOFTWARE_ATOMIC};

static bool run_atomic(const struct backend *backend, unsigned number,
                       uint64_t seed, struct report *report) {
    const winnow_strategy strategy = atomics[number / 2];
    const winnow_type type = element_type(soak_draw(seed, 16, ELEMENT_TYPES));
    const uint64_t tile =
        (strategy == WINNOW_SOFTWARE_ATOMIC ? SOFTWARE_TILE_BYTES
                                            : TILE_BYTES) /
        element_size(type);

    return run_call(backend, number % 2 ? COPY_INDEX : COPY_IF,
                    row_of(strategy, WINNOW_UNORDERED), type,
                    draw_n(tile, seed), seed, report);
}

/* ------------------------------------------------------------------- shapes */

static bool is_of_indices(winnow__ladder ladder) {
    return ladder >= WINNOW__INDEX_SINGLE_BLOCK;
}

static bool is_any_order(winnow__ladder ladder, uint64_t seed) {
    switch (ladder) {
    case WINNOW__AGGREGATED:
    case WINNOW__INDEX_AGGREGATED:
        return true;
    case WINNOW__ONE_WAVE:
    case WINNOW__LOOK_BACK:
    case WINNOW__INDEX_ONE_WAVE:
    case WINNOW__INDEX_LOOK_BACK:
        return false;
    default:
        return soak_draw(seed, 17, 2) != 0;
    }
}

static bool run_shape(const struct backend *backend, unsigned number,
                      uint64_t seed, struct report *report) {
    const winnow__shape shape = (winnow__shape)number;
    const winnow__ladder ladder = winnow__shapes[shape].ladder;
    const struct strategy_row *const row =
        is_any_order(ladder, seed)
            ? row_of(WINNOW_TILE_AGGREGATED, WINNOW_UNORDERED)
            : row_of(WINNOW_TILE_SCAN, WINNOW_STABLE);
    const winnow__kernel *kernel;
    winnow_type type;
    uint64_t size, tile, n, most;

    for (uint64_t i = 0;; i++) { /* some have no kernel for some sizes */
        type = element_type(soak_draw(seed, 100 + i, ELEMENT_TYPES));
        size = element_size(type);
        kernel = &(*winnow__shapes[shape].kernels)[__builtin_ctzll(size)][0];
        if (kernel->function != NULL)
            break;
    }
    tile = kernel->tile_bytes / size;
    n = draw_n(tile, seed);
    cut_into(backend, shape);
    most = cut_shapes(backend)->limits[shape][__builtin_ctzll(size)];
    return run_call(backend, is_of_indices(ladder) ? COPY_INDEX : COPY_IF, row,
                    type, n < most ? n : most, seed, report);
}

/* ----------------------------------------------------------------- the rest */

static bool run_count(const struct backend *backend, unsigned number,
                      uint64_t seed, struct report *report) {
    const winnow_type type = element_type(soak_draw(seed, 16, ELEMENT_TYPES));
    const winnow__kernel *const kernel =
        &(*winnow__shapes[WINNOW__SHAPE_count_small]
               .kernels)[__builtin_ctzll(element_size(type))][0];

    return run_call(backend, number == 0 ? COUNT_IF : ESTIMATE, NULL, type,
                    draw_n(kernel->tile_bytes / element_size(type), seed), seed,
                    report);
}

/* Of nothing. */
static bool run_empty(const struct backend *backend, unsigned number,
                      uint64_t seed, struct report *report) {
    (void)number;
    return run_call(backend, COPY_IF, row_of(WINNOW_AUTO, WINNOW_STABLE),
                    element_type(seed), 0, seed, report);
}

/* Several candidates, one of which the device chooses. */
static void load_choice(const struct backend *backend) {
    struct profile profile;

    profile_open(&profile, backend);
    profile_add(&profile, "%s",
                "copy_if unordered 4 1 100000 0 0.3 warp_aggregated by_size");
    profile_add(&profile, "%s",
                "copy_if unordered 4 1 100000 0.3 1 tile_aggregated by_size");
    profile_add(&profile, "%s",
                "copy_if stable 4 1 100000 0 0.5 cub_scan by_size");
    profile_add(&profile, "%s",
                "copy_if stable 4 1 100000 0.5 1 tile_scan by_size");
    profile_load(&profile, backend);
    profile_close(&profile);
}

static bool run_choice(const struct backend *backend, unsigned number,
                       uint64_t seed, struct report *report) {
    static bool is_loaded;

    if (!is_loaded)
        load_choice(backend);
    is_loaded = true;
    return run_call(
        backend, COPY_IF,
        row_of(WINNOW_AUTO, number == 0 ? WINNOW_STABLE : WINNOW_UNORDERED),
        WINNOW_FLOAT32, draw_n(TILE_BYTES / 4, seed), seed, report);
}

void soak_copies(void) {
    for (unsigned i = 0; i < 2 * sizeof(atomics) / sizeof(atomics[0]); i++)
        soak_add(SOAK_USUAL, run_atomic, i, "%s%s",
                 winnow_strategy_name(atomics[i / 2]), i % 2 ? " index" : "");
    for (winnow__shape shape = 0; shape < WINNOW__SHAPE_COUNT; shape++)
        if (cut_exists(shape) || is_of_indices(winnow__shapes[shape].ladder))
            soak_add(SOAK_CUT, run_shape, shape, "%s",
                     winnow__shapes[shape].name);
    soak_add(SOAK_USUAL, run_count, 0, "count");
    soak_add(SOAK_USUAL, run_count, 1, "estimate");
    soak_add(SOAK_USUAL, run_empty, 0, "empty");
    soak_add(SOAK_CHOICE, run_choice, 0, "choice stable");
    soak_add(SOAK_CHOICE, run_choice, 1, "choice unordered");
}
