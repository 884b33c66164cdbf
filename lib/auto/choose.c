/*
 * AUTO: which strategy, in which shape?
 *
 * The context's profile (profile.h) decides by operation, order, element size
 * and number of elements, and sometimes by selectivity. The selectivity comes
 * from the hint, or from a sample taken on the device (candidates.c). How a
 * tile's survivors are staged also depends on selectivity; the kernels choose
 * that for each tile by its exact count.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "choice.h"
#include "core/status.h"

#include <string.h>

/*
 * The shapes are those of kernels/tile/shapes.h. They follow from the size of the
 * input; their limits scale with the number of multiprocessors.
 *
 * An entry by element size and n belongs here if another strategy or shape was
 * measured to be at least 3% faster (median over the patterns of the data, with the
 * current kernels). The H200's record (bench/NOTES.md, "The choice") has no such
 * case.
 */
static const winnow_strategy strategy_of[] = {
    [WINNOW_UNORDERED] = WINNOW_TILE_AGGREGATED,
    [WINNOW_STABLE] = WINNOW_TILE_SCAN};

/* The fractions were measured on an H200 (bench/SELECTIONS.md), except for staging
 * out of step, which elements of 4 and 8 bytes never use. */
const winnow__profile winnow__built_in = {
    .source = "built in, for any device: scaled from an NVIDIA H200 by the "
              "number of multiprocessors",
    .packing = {{WINNOW__FRACTION_ONE / 16, WINNOW__FRACTION_ONE / 4},
                {WINNOW__FRACTION_ONE / 16, WINNOW__FRACTION_ONE},
                {WINNOW__FRACTION_ONE / 16, WINNOW__FRACTION_ONE},
                {WINNOW__FRACTION_ONE / 4, WINNOW__FRACTION_ONE}}};

static winnow_status find_profile(const winnow_context *context,
                                  const winnow__profile **profile_p) {
    winnow__tuning *tuning;
    WINNOW__TRY(winnow__tuning_of(context, &tuning));
    *profile_p = atomic_load_explicit(&tuning->loaded, memory_order_acquire);
    return WINNOW_OK;
}

/* NULL: the built-in strategy. */
static const winnow__entry *find_entry(const winnow__profile *profile,
                                       const winnow__query *query) {
    const uint64_t n = query->n == 0 ? 1 : query->n; /* 0 counts as 1 */
    for (unsigned i = 0; i < profile->number; i++) {
        const winnow__entry *const entry = &profile->entries[i];
        if (entry->operation == query->operation->strategies &&
            entry->order == query->launch.order &&
            entry->log2_size == query->predicate->type->log2_size &&
            entry->from <= n && n <= entry->to)
            return entry;
    }
    return NULL;
}

/* Take the candidate whose range contains the hint. */
static void take_hinted(winnow__choice *choice, double hint) {
    unsigned i = 0;
    while (i + 1 < choice->number &&
           hint >= choice->candidates[i].below / (double)WINNOW__FRACTION_ONE)
        i++;
    choice->candidates[0] = choice->candidates[i];
    choice->number = 1;
    choice->hinted = true;
}

winnow_status winnow__choose(const winnow__query *query,
                             winnow__choice *choice_p) {
    const bool is_beyond_cub = /* CUB's kernels do not support these */
        query->launch.d_n != NULL || query->launch.d_position != NULL;
    const winnow__profile *profile;
    *choice_p = (winnow__choice){
        .number = 1,
        .candidates = {{query->launch.strategy, WINNOW__SHAPE_COUNT,
                        WINNOW__FRACTION_ONE}}};
    if (query->launch.strategy == WINNOW_CUB_SCAN && is_beyond_cub)
        return winnow__unsupported(
            "strategy cub_scan honours neither launch->d_n "
            "nor launch->d_position: name tile_scan, or none");
    if (query->launch.strategy != WINNOW_AUTO)
        return WINNOW_OK;
    WINNOW__TRY(find_profile(query->context, &profile));
    const winnow__entry *const entry = find_entry(profile, query);
    const winnow_strategy built_in = strategy_of[query->launch.order];
    if (entry == NULL) {
        choice_p->source = winnow__built_in.source;
        choice_p->candidates[0].strategy = built_in;
        return WINNOW_OK;
    }
    choice_p->source = profile->source;
    choice_p->line = entry->line;
    choice_p->number = entry->number;
    memcpy(choice_p->candidates, entry->candidates, sizeof entry->candidates);
    for (unsigned i = 0; i < choice_p->number && is_beyond_cub; i++)
        if (choice_p->candidates[i].strategy == WINNOW_CUB_SCAN)
            choice_p->candidates[i].strategy = built_in;
    if (choice_p->number > 1 && query->launch.selectivity > 0)
        take_hinted(choice_p, query->launch.selectivity);
    return WINNOW_OK;
}

winnow_status winnow__chosen_packing(const winnow_context *context,
                                     unsigned log2_size,
                                     winnow__packing *packing_p) {
    const winnow__profile *profile;
    WINNOW__TRY(find_profile(context, &profile));
    *packing_p = profile->packing[log2_size];
    return WINNOW_OK;
}
