/*
 * Is an entry of a profile possible? The call decides what depends on the call:
 * if the blocks of a cluster or of one wave do not fit on a stream, the
 * strategy uses another shape (lib/copy/plan.c).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "profile.h"

#include <inttypes.h>

/* Does the shape belong to the strategy? */
static bool belongs(const winnow__strategies *shapes,
                    const winnow__candidate *candidate) {
    const winnow__ladder ladder = winnow__shapes[candidate->shape].ladder;
    const bool scan = candidate->strategy == WINNOW_TILE_SCAN;
    if (ladder == WINNOW__NO_LADDER ||
        (!scan && candidate->strategy != WINNOW_TILE_AGGREGATED))
        return false;
    return ladder == shapes->single_block || ladder == shapes->cluster ||
           (scan ? ladder == shapes->one_wave || ladder == shapes->look_back
                 : ladder == shapes->aggregated);
}

/* The most elements that AUTO may give to a candidate in one launch. The strategies
 * that AUTO uses without a profile check their own limit. */
static uint64_t most_items(const winnow__strategies *shapes,
                           const winnow__candidate *candidate,
                           winnow__kernel_key key) {
    const bool by_size = candidate->shape == WINNOW__SHAPE_COUNT;
    const winnow__shape shape =
        by_size ? shapes->only[candidate->strategy] : candidate->shape;
    uint64_t tiles = (UINT64_C(1) << (64 - WINNOW__SURVIVOR_BITS)) - 4;
    uint64_t items = (UINT64_C(1) << WINNOW__SURVIVOR_BITS) - 1;
    if (candidate->strategy == WINNOW_CUB_SCAN)
        return shapes->most_of_cub();
    if (by_size && (candidate->strategy == WINNOW_TILE_AGGREGATED ||
                    candidate->strategy == WINNOW_TILE_SCAN))
        return UINT64_MAX;
    const winnow__kernel *kernel = winnow__find_kernel(shape, key);
    const winnow__ladder ladder = winnow__shapes[shape].ladder;
    const unsigned item_bytes = 1u << key.log2_size;
    if (ladder == shapes->single_block) {
        tiles = 1;
    } else if (ladder == shapes->cluster) {
        tiles = WINNOW__MOST_CLUSTER;
    } else if (ladder == shapes->one_wave) {
        tiles = WINNOW__MOST_ONE_WAVE;
        items = UINT64_C(1) << WINNOW__EXCHANGE_BITS;
    } else if (kernel->vector_bytes == item_bytes) {
        items = INT32_MAX; /* kernels/tile/striped.cuh */
    }
    /* The first tile may not be full. */
    const uint64_t full =
        (tiles * kernel->tile_bytes - kernel->vector_bytes + item_bytes) >>
        key.log2_size;
    return full < items ? full : items;
}

static winnow_status check_shape(const winnow__entry *entry,
                                 const winnow__input *input) {
    const winnow__candidate *const candidate = &entry->candidates[0];
    const char *const name = winnow__shapes[candidate->shape].name;
    const winnow__kernel *kernel =
        winnow__find_kernel(candidate->shape, input->key);
    if (!belongs(entry->operation, candidate))
        return WINNOW__EXPECTED(
            "%s is no shape of %s for %s: expected one that is, or by_size",
            name, winnow_strategy_name(candidate->strategy),
            entry->operation->name);
    if (kernel->function == NULL)
        return WINNOW__EXPECTED(
            "%s has no kernel for elements of %u bytes: expected another shape",
            name, 1u << entry->log2_size);
    if (!winnow__has_room(input, candidate->shape))
        return WINNOW__EXPECTED("%s takes %u bytes of shared memory: expected "
                                "a shape that takes at most %zu",
                                name,
                                kernel->shared_bytes + WINNOW__OTHER_SHARED,
                                input->context->shared_bytes);
    return WINNOW_OK;
}

winnow_status winnow__check_entry(const winnow__entry *entry,
                                  const winnow__cuda_context *context) {
    /* The kernels for all kinds of test have the same limits. */
    const winnow__input input = {.context = context,
                                 .key = {entry->log2_size, WINNOW__INTERVAL}};
    const winnow__candidate *const candidate = &entry->candidates[0];
    const char *const name = winnow_strategy_name(candidate->strategy);
    const uint64_t most = most_items(entry->operation, candidate, input.key);
    if (entry->order == WINNOW_STABLE &&
        winnow__strategy_order(candidate->strategy) != WINNOW_STABLE)
        return WINNOW__EXPECTED("%s is unordered: expected a stable strategy, "
                                "tile_scan or cub_scan",
                                name);
    /* A stream refuses this strategy if its blocks cannot run together. That is
     * known only after the candidates before it have been enqueued. */
    if (candidate->strategy == WINNOW_SOFTWARE_ATOMIC)
        return WINNOW__EXPECTED(
            "%s: expected a strategy that no stream refuses", name);
    if (candidate->shape != WINNOW__SHAPE_COUNT)
        WINNOW__TRY(check_shape(entry, &input));
    if (entry->to > most)
        return WINNOW__EXPECTED(
            "n goes up to %" PRIu64 ", and this strategy and shape take at "
            "most %" PRIu64 ": expected a range of n that ends there",
            entry->to, most);
    return WINNOW_OK;
}
