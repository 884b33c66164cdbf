/*
 * partition_blocks on a GPU: a kernel makes the items' numbers,
 * partition_by_key moves them, and a kernel gathers by them
 * (kernels/partition/blocks.cu).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "core/round.h"
#include "cuda/launch.h"
#include "cuda/memory.h"
#include "plan.h"

enum {
    ALIGNMENT = 256,
    GATHER_BLOCKS = 8 /* on a multiprocessor, at most */
};

/* The call that partitions the numbers, and the places of its memory. */
typedef struct inner {
    winnow_move numbers;
    winnow__partition details;
    winnow__query query;
    size_t ordered, begins, rest; /* offsets in the workspace, where the numbers
                                     come first */
} inner;

static void make_inner(const winnow__query *query, inner *of) {
    const uint64_t n = query->n;
    *of = (inner){.numbers = {.element_bytes = n > UINT64_C(1) << 32 ? 8 : 4},
                  .details = *winnow__partition_of(query),
                  .query = *query};
    of->details.moves = &of->numbers;
    of->details.move_count = 1;
    of->details.columns[0] = &of->numbers;
    of->details.column_count = 1;
    of->query.details = &of->details;
    of->ordered = winnow__round_up(n * of->numbers.element_bytes, ALIGNMENT);
    of->begins = 2 * of->ordered;
    of->rest =
        of->begins +
        winnow__round_up((of->details.parts + 1) * sizeof(uint64_t), ALIGNMENT);
}

winnow_status winnow__cuda_blocks_plan(const winnow__query *query,
                                       const winnow__constraints *constraints,
                                       winnow__plan *plan_p) {
    inner of;
    (void)constraints;
    if (winnow__partition_is_small(query)) {
        winnow__partition_plan_small(query, plan_p);
        return WINNOW_OK;
    }
    make_inner(query, &of);
    winnow__plan_several(of.rest + winnow__partition_make_plan(&of.query).bytes,
                         plan_p);
    return WINNOW_OK;
}

static winnow__partition_blocks_args make_args(const winnow__call *call,
                                               const inner *of, char *memory) {
    winnow__partition_blocks_args args = {
        .n = call->query.n,
        .wide = of->numbers.element_bytes == 8,
        .parts = winnow__partition_of(&call->query)->parts,
        .numbers = memory,
        .ordered = memory + of->ordered,
        .begins = (void *)(memory + of->begins)};
    winnow__partition_set_outputs(call, &args.to);
    return args;
}

/* The number of blocks for `threads`, at most GATHER_BLOCKS a multiprocessor. */
static unsigned blocks_for(const winnow__call *call, uint64_t threads,
                           const winnow__kernel *kernel) {
    const uint64_t most =
        GATHER_BLOCKS * winnow__cuda(call->query.context)->multiprocessors;
    const uint64_t wanted = winnow__divide_up(threads, kernel->threads);
    return wanted == 0 ? 1 : (unsigned)(wanted < most ? wanted : most);
}

winnow_status winnow__cuda_blocks_enqueue(const winnow__call *call,
                                          const winnow__plan *own,
                                          const winnow__workspace *memory) {
    const winnow__kernel *const first = &winnow__partition_number;
    const winnow__kernel *const last = &winnow__partition_gather;
    char *const bytes = memory->rest;
    inner of;
    if (winnow__partition_is_small(&call->query))
        return winnow__partition_enqueue_small(call, memory);
    make_inner(&call->query, &of);
    of.numbers.d_in = bytes;
    of.numbers.d_out = bytes + of.ordered;
    const winnow__partition_memory begins = {.offsets =
                                                 (void *)(bytes + of.begins)};
    const winnow__call middle = {
        .query = of.query, .in = call->in, .memory = &begins};
    winnow__workspace rest = *memory;
    rest.rest = bytes + of.rest;
    const winnow__partition_blocks_args args = make_args(call, &of, bytes);
    WINNOW__TRY(winnow__load(call->query.context, first));
    WINNOW__TRY(winnow__load(call->query.context, &winnow__partition_pad));
    WINNOW__TRY(winnow__load(call->query.context, last));
    WINNOW__TRY(winnow__cuda_partition_load(&middle, &rest));
    WINNOW__TRY(winnow__launch_overlapping(
        call, first, blocks_for(call, call->query.n, first), &args));
    WINNOW__TRY(winnow__cuda_partition_enqueue(&middle, own, &rest));
    WINNOW__TRY(
        winnow__launch_overlapping(call, &winnow__partition_pad, 1, &args));
    return winnow__launch_overlapping(
        call, last, blocks_for(call, winnow__blocks_places(&call->query), last),
        &args);
}
