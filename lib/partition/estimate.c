/*
 * partition_by_key by an estimate (kernels/partition/estimate/): when, and with
 * which kernels.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cuda/launch.h"
#include "plan.h"

enum {
    /* The least size of the keys, in L2 caches. Counting smaller keys does not
     * read them from memory twice. */
    CACHES_TO_ESTIMATE = 4,
    /* An estimate needs this number of sampled items times the square of the
     * number of digits: then 1/26 of uniform keys is displaced. It takes twice
     * as many if one key in LEAST_SAMPLED_ONE_IN suffices for that. */
    ITEMS_TO_ESTIMATE = 64,
    ITEMS_WANTED = 128,
    /* One in this number of items has spare room. */
    ITEMS_PER_SPARE_ITEM = 8,
    /* One key in 64 is sampled, or in 32 or 16 where there are many digits. */
    MOST_SAMPLED_ONE_IN = 64,
    LEAST_SAMPLED_ONE_IN = 16,
    /* Blocks on a multiprocessor that take the sample, and that move displaced
     * items. */
    SAMPLE_BLOCKS = 2,
    REPAIR_BLOCKS = 2
};

winnow__kernel
winnow__partition_estimate_kernel(const winnow__partition_plan *p) {
    winnow__kernel kernel = winnow__partition_scatter_kernel(
        p, p->bits[0], true, false, WINNOW__PARTITION_ESTIMATED,
        p->batch_bytes);
    kernel.shared_bytes += p->estimate.part_table_bytes;
    return kernel;
}

/* In two passes the scatter counts all parts, if they fit in a block's shared
 * memory. Counters have 32 bits, and a block may take any number of tiles. */
static bool count_parts(const winnow__query *query, winnow__partition_plan *p) {
    const uint32_t parts = winnow__partition_of(query)->parts;
    if (query->n > UINT32_MAX || parts > WINNOW__PARTITION_COUNTED_PARTS)
        return false;
    p->estimate.part_table_bytes = parts * (unsigned)sizeof(uint32_t);
    const winnow__kernel kernel = winnow__partition_estimate_kernel(p);
    return winnow__partition_room(query, &kernel) >=
           WINNOW__PARTITION_TILE_BLOCKS;
}

void winnow__partition_plan_estimate(const winnow__query *query,
                                     winnow__partition_plan *p) {
    const winnow__cuda_context *const context = winnow__cuda(query->context);
    const uint64_t digits = winnow__partition_digits(p, 0);
    const winnow__kernel kernel = winnow__partition_estimate_kernel(p);
    const uint64_t tiles = winnow__divide_up(query->n, p->tile_items);
    winnow__partition_estimate_plan *const e = &p->estimate;
    unsigned one_in = MOST_SAMPLED_ONE_IN;
    if (query->n * query->type->size / CACHES_TO_ESTIMATE <
        context->cache_bytes)
        return;
    while (one_in > LEAST_SAMPLED_ONE_IN &&
           query->n / one_in / ITEMS_WANTED < digits * digits)
        one_in /= 2;
    if (query->n / one_in / ITEMS_TO_ESTIMATE < digits * digits)
        return;
    e->sampled_one_in = one_in;
    e->sector = WINNOW__PARTITION_SECTOR(query->type->size, p->has_columns);
    e->blocks = winnow__partition_resident(query, &kernel,
                                           WINNOW__PARTITION_TILE_BLOCKS);
    if (tiles < e->blocks)
        e->blocks = tiles == 0 ? 1 : (unsigned)tiles;
    const uint64_t left_over = e->blocks * digits * e->sector;
    e->spare_items = query->n / ITEMS_PER_SPARE_ITEM / e->sector * e->sector;
    e->spare_left_over = (uint32_t)left_over;
    p->estimated = left_over <= e->spare_items && left_over <= UINT32_MAX &&
                   (p->passes == 1 || count_parts(query, p));
}

/* Blocks take one tile after the other; each leaves items over. */
static winnow_status
launch_scatter(const winnow__call *call, const winnow__partition_plan *p,
               const winnow__partition_scatter_args *args) {
    const winnow__partition_estimate_plan *const e = &p->estimate;
    const winnow__kernel kernel = winnow__partition_estimate_kernel(p);
    winnow__partition_scatter_args tiles = *args;
    tiles.estimate.part_table = kernel.shared_bytes - e->part_table_bytes;
    tiles.chunks.number = e->blocks;
    tiles.chunks.next_tile = &args->estimate.estimate->exchange.next_tile;
    return winnow__launch_overlapping(call, &kernel, e->blocks, &tiles);
}

winnow_status
winnow__partition_enqueue_estimate(const winnow__call *call,
                                   const winnow__partition_plan *p,
                                   const winnow__partition_scatter_args *args) {
    const unsigned multiprocessors =
        winnow__cuda(call->query.context)->multiprocessors;
    const unsigned blocks = REPAIR_BLOCKS * multiprocessors;
    WINNOW__TRY(winnow__launch_overlapping(
        call, &winnow__partition_sample[p->wide_keys],
        SAMPLE_BLOCKS * multiprocessors, args));
    WINNOW__TRY(launch_scatter(call, p, args));
    WINNOW__TRY(winnow__launch_overlapping(call, &winnow__partition_collect,
                                           blocks, args));
    return winnow__launch_overlapping(
        call, &winnow__partition_restore[p->wide_keys], blocks, args);
}
