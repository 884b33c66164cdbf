/*
 * Is what an entry of a profile says possible? What only a call can tell is
 * decided there: where the blocks of a cluster or of one wave do not fit on a
 * stream, the strategy has other shapes for the call (lib/copy/plan.c).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "profile.h"

#include <inttypes.h>

/* The kernel of a shape for elements of a size, whatever the test. */
static const winnow__kernel *kernel_of(winnow__shape shape,
                                       unsigned log2_size) {
    return winnow__find_kernel(
        shape, (winnow__kernel_key){log2_size, WINNOW__INTERVAL});
}

/* Is the shape one of the strategy's? */
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

/* The most elements in `tiles` tiles, the first of which may not be full. */
static uint64_t items_in(const winnow__kernel *kernel, unsigned log2_size,
                         uint64_t tiles) {
    const uint64_t bytes = tiles * kernel->tile_bytes;
    return (bytes - kernel->vector_bytes + (1u << log2_size)) >> log2_size;
}

static uint64_t least(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

/* The most elements that AUTO may give to a candidate, in one launch. Where
 * there is a limit to the strategies that AUTO has without a profile, it is
 * left to them. */
static uint64_t most_items(const winnow__strategies *shapes,
                           const winnow__candidate *candidate,
                           unsigned log2_size) {
    const uint64_t tiles = (UINT64_C(1) << (64 - WINNOW__SURVIVOR_BITS)) - 4;
    const bool by_size = candidate->shape == WINNOW__SHAPE_COUNT;
    const winnow__shape shape =
        by_size ? shapes->only[candidate->strategy] : candidate->shape;
    if (candidate->strategy == WINNOW_CUB_SCAN)
        return shapes->most_of_cub();
    if (by_size && (candidate->strategy == WINNOW_TILE_AGGREGATED ||
                    candidate->strategy == WINNOW_TILE_SCAN))
        return UINT64_MAX;
    const winnow__kernel *kernel = kernel_of(shape, log2_size);
    const winnow__ladder ladder = winnow__shapes[shape].ladder;
    if (ladder == shapes->single_block)
        return items_in(kernel, log2_size, 1);
    if (ladder == shapes->cluster)
        return items_in(kernel, log2_size, WINNOW__MOST_CLUSTER);
    if (ladder == shapes->one_wave)
        return least(UINT64_C(1) << WINNOW__EXCHANGE_BITS,
                     items_in(kernel, log2_size, WINNOW__MOST_ONE_WAVE));
    const uint64_t most = least((UINT64_C(1) << WINNOW__SURVIVOR_BITS) - 1,
                                items_in(kernel, log2_size, tiles));
    /* kernels/tile/striped.cuh */
    return kernel->vector_bytes == 1u << log2_size ? least(most, INT32_MAX)
                                                   : most;
}

static winnow_status check_shape(const winnow__line *line,
                                 const winnow__entry *entry,
                                 size_t shared_bytes) {
    enum {
        OTHER_SHARED = 1024 /* what a kernel has beside its dynamic memory */
    };
    const winnow__candidate *const candidate = &entry->candidates[0];
    const char *const name = winnow__shapes[candidate->shape].name;
    const winnow__kernel *kernel =
        kernel_of(candidate->shape, entry->log2_size);
    if (!belongs(entry->operation, candidate))
        return winnow__expected(
            line,
            "%s is no shape of %s for %s: expected one that is, or by_size",
            name, winnow_strategy_name(candidate->strategy),
            entry->operation->name);
    if (kernel->function == NULL)
        return winnow__expected(
            line,
            "%s has no kernel for elements of %u bytes: expected another shape",
            name, 1u << entry->log2_size);
    if (kernel->shared_bytes + OTHER_SHARED > shared_bytes)
        return winnow__expected(line,
                                "%s takes %u bytes of shared memory: expected "
                                "a shape that takes at "
                                "most %zu",
                                name, kernel->shared_bytes + OTHER_SHARED,
                                shared_bytes);
    return WINNOW_OK;
}

winnow_status winnow__check_entry(const winnow__line *line,
                                  const winnow__entry *entry,
                                  const winnow__cuda_context *context) {
    const winnow__candidate *const candidate = &entry->candidates[0];
    const char *const name = winnow_strategy_name(candidate->strategy);
    const uint64_t most =
        most_items(entry->operation, candidate, entry->log2_size);
    if (entry->order == WINNOW_STABLE &&
        winnow__strategy_order(candidate->strategy) != WINNOW_STABLE)
        return winnow__expected(line,
                                "%s is unordered: expected a stable strategy, "
                                "tile_scan or cub_scan",
                                name);
    /* A stream refuses it where its blocks cannot run together, which is found
     * out when the candidates before it have been enqueued. */
    if (candidate->strategy == WINNOW_SOFTWARE_ATOMIC)
        return winnow__expected(
            line, "%s: expected a strategy that no stream refuses", name);
    if (candidate->shape != WINNOW__SHAPE_COUNT)
        WINNOW__TRY(check_shape(line, entry, context->shared_bytes));
    if (entry->to > most)
        return winnow__expected(
            line,
            "n goes up to %" PRIu64 ", and this strategy and shape take at "
            "most %" PRIu64 ": expected a range of n that ends there",
            entry->to, most);
    return WINNOW_OK;
}
