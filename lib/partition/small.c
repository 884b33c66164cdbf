/*
 * partition_by_key and partition_blocks of a small input on a GPU, in one
 * launch (kernels/partition/small.cu). Both use it if
 * winnow__partition_is_small().
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "core/round.h"
#include "cuda/launch.h"
#include "cuda/memory.h"
#include "plan.h"

#include <string.h>

/* Bytes for one number for each part. The kernel reads four at a time. */
static uint64_t column_bytes(const winnow__query *query) {
    return winnow__round_up(winnow__partition_of(query)->parts, 4) *
           sizeof(uint32_t);
}

/* The first shape for this number of items, or
 * WINNOW__PARTITION_SMALL_SHAPES. */
static unsigned shape_of(const winnow__query *query) {
    static const uint64_t most[] = WINNOW__PARTITION_SMALL_ITEMS;
    const winnow__partition *const p = winnow__partition_of(query);
    const unsigned last = WINNOW__PARTITION_SMALL_SHAPES - 1;
    unsigned shape = 0;
    while (shape <= last && query->n > most[shape])
        shape++;
    if (p->parts > WINNOW__PARTITION_SMALL_PARTS ||
        (shape == last && p->blocks == NULL &&
         p->parts <= WINNOW__PARTITION_DIGITS))
        return WINNOW__PARTITION_SMALL_SHAPES;
    return shape;
}

/* A block has one column for each warp, and two more. */
static winnow__kernel kernel_of(const winnow__query *query) {
    winnow__kernel kernel =
        winnow__partition_small[query->type->size == 8][shape_of(query)];
    kernel.shared_bytes =
        (unsigned)((kernel.threads / 32 + 2) * column_bytes(query));
    return kernel;
}

bool winnow__partition_is_small(const winnow__query *query) {
    if (!winnow__cuda(query->context)->small_partitions ||
        shape_of(query) == WINNOW__PARTITION_SMALL_SHAPES)
        return false;
    const winnow__kernel kernel = kernel_of(query);
    return winnow__partition_room(query, &kernel) != 0;
}

static unsigned blocks_of(const winnow__query *query) {
    const winnow__kernel kernel = kernel_of(query);
    const uint64_t items = kernel.tile_bytes / kernel.vector_bytes;
    return query->n == 0 ? 1 : (unsigned)winnow__divide_up(query->n, items);
}

void winnow__partition_plan_small(const winnow__query *query,
                                  winnow__plan *plan_p) {
    const unsigned blocks = blocks_of(query);
    winnow__plan_several(blocks > 1 ? blocks * column_bytes(query) : 0, plan_p);
    plan_p->cursor = blocks > 1;
}

void winnow__partition_set_outputs(const winnow__call *call,
                                   winnow__partition_outputs *to) {
    const winnow__partition *const p = winnow__partition_of(&call->query);
    const winnow__partition_memory *const results = call->memory;
    const winnow_blocks none = {.align = 1};
    const winnow_blocks *const blocks = p->blocks != NULL ? p->blocks : &none;
    *to = (winnow__partition_outputs){
        .offsets = (unsigned long long *)results->offsets,
        .counts = (unsigned long long *)blocks->d_counts,
        .block_parts = blocks->d_block_parts,
        .moves = p->move_count};
    while (UINT64_C(1) << to->log_align < blocks->align)
        to->log_align++;
    for (unsigned i = 0; i < p->move_count; i++) {
        winnow__partition_target *const target = &to->move[i];
        *target = (winnow__partition_target){
            .in = p->moves[i].d_in,
            .out = p->moves[i].d_out,
            .bytes = (uint32_t)p->moves[i].element_bytes,
            .fills = blocks->fills != NULL && blocks->fills[i] != NULL};
        if (target->fills)
            memcpy(target->fill, blocks->fills[i], target->bytes);
    }
}

winnow_status winnow__partition_enqueue_small(const winnow__call *call,
                                              const winnow__workspace *memory) {
    const winnow__query *const query = &call->query;
    const winnow__partition *const p = winnow__partition_of(query);
    const winnow__kernel kernel = kernel_of(query);
    winnow__partition_small_args args = {
        .keys = call->in,
        .n = query->n,
        .items = (const unsigned long long *)query->launch.d_n,
        .field = {.mask = winnow__partition_mask(p),
                  .shift = p->shift,
                  .parts = p->parts},
        .cursor = memory->cursor,
        .table = memory->other,
        .spin_limit = winnow__cuda(query->context)->spin_limit};
    winnow__partition_set_outputs(call, &args.to);
    return winnow__launch_overlapping(call, &kernel, blocks_of(query), &args);
}
