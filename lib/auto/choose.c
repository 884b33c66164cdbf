/*
 * AUTO: which strategy, in which shape?
 *
 * The context's profile says (profile.h), by operation, order, size of elements
 * and number of elements, and for ranges of selectivity where that matters. The
 * selectivity is the hint's, or a sample's that is taken on the device
 * (candidates.c). How a tile's survivors are staged depends on selectivity
 * as well, and that the kernels choose for each tile, by its exact count.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cuda/plan.h"
#include "core/operation.h"

/* The entry for n of those that are sorted by it; or NULL. */
static const winnow__entry *find_entry(const winnow__entries *entries,
                                       uint64_t n) {
    for (unsigned i = 0; i < entries->number && entries->list[i].from <= n; i++)
        if (n <= entries->list[i].to)
            return &entries->list[i];
    return NULL;
}

static const winnow__entry *find_in(const winnow__profile *profile,
                                    const winnow__query *query) {
    /* Where there is nothing to do, that of a single element. */
    return find_entry(
        &profile->entries[query->operation->tuned][query->options.order]
                         [query->predicate->type->log2_size],
        query->n == 0 ? 1 : query->n);
}

winnow__choice winnow__choose_any(const winnow__query *query) {
    const winnow__tuning *const tuning =
        &((const winnow__cuda_context *)query->context)->tuning;
    winnow__choice choice = {
        .number = 1,
        .only = {query->options.strategy, WINNOW__SHAPE_COUNT, WINNOW__WHOLE}};
    if (query->options.strategy != WINNOW_AUTO ||
        query->operation->tuned == WINNOW__NOT_TUNED)
        return choice;
    choice.profile =
        atomic_load_explicit(&tuning->loaded, memory_order_acquire);
    if (choice.profile != NULL)
        choice.entry = find_in(choice.profile, query);
    if (choice.entry == NULL) {
        choice.profile = tuning->built_in;
        choice.entry = find_in(choice.profile, query);
    }
    choice.number = choice.entry->number;
    choice.candidates = choice.entry->candidates;
    choice.only = choice.candidates[0];
    return choice;
}

winnow__choice winnow__choose(const winnow__query *query) {
    winnow__choice choice = winnow__choose_any(query);
    const double hint = query->options.selectivity;
    if (choice.number == 1 || hint < 0)
        return choice;
    unsigned i = 0;
    while (i + 1 < choice.number &&
           hint >= choice.candidates[i].below / (double)WINNOW__WHOLE)
        i++;
    choice.only = choice.candidates[i];
    choice.candidates = NULL;
    choice.number = 1;
    return choice;
}
