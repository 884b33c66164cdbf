/*
 * The strategies: which kernel packs the survivors, in how many blocks, and
 * what memory that takes.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "copy.h"
#include "core/status.h"

/* One block for each tile. */
static winnow_status plan_each(const winnow__input *input,
                               const winnow__constraints *constraints,
                               winnow__shape shape, winnow__plan *plan) {
    plan->mode = WINNOW__TILE_PER_BLOCK;
    plan->kernel = winnow__find_kernel(shape, input->key);
    plan->shape = shape;
    WINNOW__TRY(winnow__check_tiles(plan->kernel, input));
    plan->blocks =
        (unsigned)winnow__count_tiles(plan->kernel, input, constraints);
    return WINNOW_OK;
}

/* The shape to use from a ladder: a candidate's own if it is in the ladder. */
static winnow__shape find_shape(const winnow__input *input,
                                winnow__shape wanted, winnow__ladder ladder) {
    if (wanted < WINNOW__SHAPE_COUNT && winnow__shapes[wanted].ladder == ladder)
        return wanted;
    return winnow__choose_shape(input, ladder);
}

/* One block or one cluster, which need no memory: if the size of the input or a
 * candidate's shape asks for it. */
static winnow_status plan_bare(const winnow__input *input,
                               const winnow__constraints *constraints,
                               const winnow__strategies *shapes,
                               winnow__shape wanted, winnow__shape last,
                               winnow__plan *plan, bool *possible_p) {
    const winnow__ladder ladder = wanted < WINNOW__SHAPE_COUNT
                                      ? winnow__shapes[wanted].ladder
                                      : WINNOW__NO_LADDER;
    *possible_p = false;
    if (ladder == shapes->single_block) {
        winnow__plan_block_in(input, wanted, plan);
        *possible_p = true;
    } else if (wanted == WINNOW__SHAPE_COUNT) {
        *possible_p = winnow__plan_block(input, shapes->single_block, plan);
    }
    if (*possible_p || !constraints->exchange)
        return WINNOW_OK;
    if (ladder == shapes->cluster)
        return winnow__plan_cluster_in(input, wanted, plan, possible_p);
    return wanted == WINNOW__SHAPE_COUNT
               ? winnow__plan_cluster(input, constraints, shapes->cluster, last,
                                      plan, possible_p)
               : WINNOW_OK;
}

static winnow_status plan_aggregated(const winnow__input *input,
                                     const winnow__constraints *constraints,
                                     const winnow__strategies *shapes,
                                     winnow__shape wanted, winnow__plan *plan) {
    bool possible;
    winnow_status status =
        plan_bare(input, constraints, shapes, wanted, shapes->unordered_cluster,
                  plan, &possible);
    if (status != WINNOW_OK || possible)
        return status;
    const winnow__shape shape = find_shape(input, wanted, shapes->aggregated);
    status = plan_each(input, constraints, shape, plan);
    plan->overlaps = true;
    if (status != WINNOW_OK || !constraints->located)
        return status; /* nothing will be launched */
    unsigned most = 0;
    status = winnow__resident_blocks(input, shape, &most);
    plan->trigger_early = winnow__triggers_early(
        winnow__is_striped(plan->kernel, input), plan->blocks, most);
    return status;
}

/* Do the plan's blocks exchange counts? A single block is never refused. */
static bool may_be_refused(const winnow__plan *plan) {
    return plan->groups != 0 || plan->mode == WINNOW__CLUSTER;
}

/* One wave: if the size of the input or a candidate's shape asks for it. */
static winnow_status plan_one_wave(const winnow__input *input,
                                   const winnow__constraints *constraints,
                                   winnow__ladder ladder, winnow__shape wanted,
                                   winnow__plan *plan, bool *possible_p) {
    *possible_p = false;
    if (wanted == WINNOW__SHAPE_COUNT)
        return winnow__plan_one_wave(input, constraints, ladder, plan,
                                     possible_p);
    if (winnow__shapes[wanted].ladder == ladder)
        return winnow__plan_one_wave_in(input, constraints, wanted, plan,
                                        possible_p);
    return WINNOW_OK;
}

static winnow_status plan_scan(const winnow__input *input,
                               const winnow__constraints *constraints,
                               const winnow__strategies *shapes,
                               winnow__shape wanted, winnow__plan *plan) {
    bool possible;
    WINNOW__TRY(plan_bare(input, constraints, shapes, wanted,
                          shapes->stable_cluster, plan, &possible));
    if (!possible)
        WINNOW__TRY(plan_one_wave(input, constraints, shapes->one_wave, wanted,
                                  plan, &possible));
    if (possible && !may_be_refused(plan))
        return WINNOW_OK;
    const winnow__shape shape = find_shape(input, wanted, shapes->look_back);
    if (!possible)
        return winnow__plan_look_back(input, constraints, shape, plan);
    plan->fallback =
        winnow__state_bytes(winnow__find_kernel(shape, input->key), input);
    return WINNOW_OK;
}

/* Can all blocks of a launch be resident together, as far as is known? */
static winnow_status check_cooperative(const winnow__input *input,
                                       const winnow__constraints *constraints,
                                       unsigned most) {
    const winnow__cuda_context *const context = input->context;
    if (!context->cooperative)
        return winnow__unsupported(
            "device %d has no cooperative launches, which "
            "software_atomic needs",
            context->device);
    if (!constraints->exchange)
        return winnow__unsupported(
            "the stream cannot run the blocks of software_atomic together: "
            "does it have only a part of device %d?",
            context->device);
    if (most < 2)
        return winnow__unsupported(
            "device %d runs one block of software_atomic at a "
            "time, which needs two",
            context->device);
    return WINNOW_OK;
}

/* One slot for each warp of all blocks but the coordinator. Slots need more
 * alignment than the workspace has. */
static size_t slot_bytes(const winnow__kernel *kernel, uint64_t clients) {
    return clients * (kernel->threads / 32) * WINNOW__SLOT_BYTES +
           WINNOW__SLOT_BYTES - 16;
}

/* The coordinator and one more block for each tile, or as many as are resident.
 * The launch is refused if they cannot run together. */
static winnow_status plan_software(const winnow__input *input,
                                   const winnow__constraints *constraints,
                                   winnow__shape shape, winnow__plan *plan) {
    unsigned most = 0;
    WINNOW__TRY(winnow__resident_blocks(input, shape, &most));
    WINNOW__TRY(check_cooperative(input, constraints, most));
    const winnow__kernel *kernel = winnow__find_kernel(shape, input->key);
    const uint64_t tiles = winnow__count_tiles(kernel, input, constraints);
    const uint64_t most_tiles = winnow__most_tiles(kernel, input);
    plan->mode = WINNOW__COOPERATIVE;
    plan->kernel = kernel;
    plan->shape = shape;
    plan->blocks = (unsigned)(tiles < most - 1 ? tiles : most - 1) + 1;
    plan->cleared =
        slot_bytes(kernel, most_tiles < most - 1 ? most_tiles : most - 1);
    return WINNOW_OK;
}

static winnow_status plan_cub(const winnow__query *query,
                              bool is_one_of_several, winnow__plan *plan) {
    plan->mode = WINNOW__FOREIGN;
    plan->shape = WINNOW__SHAPE_COUNT;
    plan->cursor = false;
    size_t bytes;
    WINNOW__TRY(winnow__check_cub(query));
    WINNOW__TRY(winnow__cub_bytes(query, is_one_of_several, &bytes));
    plan->other = (bytes + 15) / 16 * 16 + WINNOW__CUB_COUNT_BYTES;
    return WINNOW_OK;
}

winnow_status winnow__plan_strategy(const winnow__query *query,
                                    const winnow__constraints *constraints,
                                    winnow__plan *plan_p) {
    const winnow__settled *const settled = constraints->settled;
    const winnow__strategies *const shapes = query->operation->strategies;
    const winnow__shape wanted = settled->candidate.shape;
    winnow__input input;
    WINNOW__TRY(winnow__input_of(query, &input));
    plan_p->strategy = settled->candidate.strategy;
    if (query->n == 0)
        return WINNOW_OK;
    switch (plan_p->strategy) {
    case WINNOW_GLOBAL_ATOMIC:
    case WINNOW_SHARED_ATOMIC:
    case WINNOW_WARP_AGGREGATED:
    case WINNOW_WARP_SHARED:
        return plan_each(&input, constraints, shapes->only[plan_p->strategy],
                         plan_p);
    case WINNOW_SOFTWARE_ATOMIC:
        return plan_software(&input, constraints,
                             shapes->only[plan_p->strategy], plan_p);
    case WINNOW_TILE_AGGREGATED:
        return plan_aggregated(&input, constraints, shapes, wanted, plan_p);
    case WINNOW_TILE_SCAN:
        return plan_scan(&input, constraints, shapes, wanted, plan_p);
    case WINNOW_CUB_SCAN:
        return plan_cub(query, settled->is_one_of_several, plan_p);
    default:
        return winnow__unsupported("unknown strategy");
    }
}
