/*
 * AUTO: which strategy, in which shape?
 *
 * The context's profile says (profile.h), by operation, order, size of elements
 * and number of elements, and for ranges of selectivity where that matters. The
 * selectivity is the hint's, or a sample's that is taken on the device
 * (candidates.c). How a tile's survivors are staged depends on selectivity as
 * well, and that the kernels choose for each tile, by its exact count.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "choice.h"

/* ---------------------------------------------------------------- built in */

/*
 * The shapes are those of kernels/tile/shapes.h, by the size of the input, with
 * limits that follow the number of multiprocessors.
 *
 * An entry of its own belongs here where another strategy or shape was measured
 * to be faster by 3% or more, in the median over the patterns of the data, and
 * with the kernels as they are. Of the H200's record (bench/NOTES.md, "The
 * choice") there is none.
 */
#define ALL_BY_SIZE(STRATEGY)                                                  \
    {                                                                          \
        .number = 1, .candidates = {                                           \
            {STRATEGY, WINNOW__SHAPE_COUNT, WINNOW__WHOLE}                     \
        }                                                                      \
    }
static const winnow__entry built_in[] = {
    [WINNOW_UNORDERED] = ALL_BY_SIZE(WINNOW_TILE_AGGREGATED),
    [WINNOW_STABLE] = ALL_BY_SIZE(WINNOW_TILE_SCAN)};

/* Measured on an H200 (bench/SELECTIONS.md), but for what is staged out of
 * step, which elements of 4 and 8 bytes never are. */
static const winnow__packing packing[WINNOW__SIZES] = {
    {WINNOW__WHOLE / 16, WINNOW__WHOLE / 4},
    {WINNOW__WHOLE / 16, WINNOW__WHOLE},
    {WINNOW__WHOLE / 16, WINNOW__WHOLE},
    {WINNOW__WHOLE / 4, WINNOW__WHOLE}};

/* ---------------------------------------------------------------- the choice
 */

/* NULL: the built-in one. */
static winnow_status find_profile(const winnow_context *context,
                                  const winnow__profile **profile_p) {
    winnow__tuning *tuning;
    winnow_status status = winnow__tuning_of(context, &tuning);
    if (status == WINNOW_OK)
        *profile_p =
            atomic_load_explicit(&tuning->loaded, memory_order_acquire);
    return status;
}

static const winnow__entry *find_entry(const winnow__profile *profile,
                                       const winnow__query *query) {
    const uint64_t n = query->n == 0 ? 1 : query->n; /* as of one element */
    for (unsigned i = 0; i < profile->number; i++) {
        const winnow__entry *const entry = &profile->entries[i];
        if (entry->operation == query->operation->strategies &&
            entry->order == query->options.order &&
            entry->log2_size == query->predicate->type->log2_size &&
            entry->from <= n && n <= entry->to)
            return entry;
    }
    return NULL;
}

winnow_status winnow__choose_any(const winnow__query *query,
                                 winnow__choice *choice_p) {
    const winnow__profile *profile;
    *choice_p = (winnow__choice){
        .number = 1,
        .only = {query->options.strategy, WINNOW__SHAPE_COUNT, WINNOW__WHOLE}};
    if (query->options.strategy != WINNOW_AUTO)
        return WINNOW_OK;
    winnow_status status = find_profile(query->context, &profile);
    if (status != WINNOW_OK)
        return status;
    if (profile != NULL)
        choice_p->entry = find_entry(profile, query);
    if (choice_p->entry != NULL) {
        choice_p->source = profile->source;
    } else {
        choice_p->source = "built in, for any device: scaled from an NVIDIA "
                           "H200 by the number of multiprocessors";
        choice_p->entry = &built_in[query->options.order];
    }
    choice_p->number = choice_p->entry->number;
    choice_p->candidates = choice_p->entry->candidates;
    choice_p->only = choice_p->candidates[0];
    return WINNOW_OK;
}

winnow_status winnow__choose(const winnow__query *query,
                             winnow__choice *choice_p) {
    const double hint = query->options.selectivity;
    winnow_status status = winnow__choose_any(query, choice_p);
    if (status != WINNOW_OK || choice_p->number == 1 || hint < 0)
        return status;
    unsigned i = 0;
    while (i + 1 < choice_p->number &&
           hint >= choice_p->candidates[i].below / (double)WINNOW__WHOLE)
        i++;
    choice_p->only = choice_p->candidates[i];
    choice_p->candidates = NULL;
    choice_p->number = 1;
    return WINNOW_OK;
}

winnow_status winnow__chosen_packing(const winnow_context *context,
                                     unsigned log2_size,
                                     winnow__packing *packing_p) {
    const winnow__profile *profile = NULL;
    winnow_status status = find_profile(context, &profile);
    *packing_p = profile != NULL && profile->has_packing[log2_size]
                     ? profile->packing[log2_size]
                     : packing[log2_size];
    return status;
}
