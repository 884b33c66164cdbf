/*
 * The strategies: which kernel packs the survivors, in how many blocks, and
 * what memory that takes.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cuda/plan.h"
#include "core/operation.h"
#include "core/status.h"

/* Can one launch of the kernel take that many elements? */
static bool takes_tiles(const winnow__kernel *kernel,
                        const winnow__query *query) {
    const uint64_t limit = (UINT64_C(1) << (64 - WINNOW__SURVIVOR_BITS)) - 1;
    const uint64_t most_items = UINT64_C(1) << WINNOW__SURVIVOR_BITS;
    return query->n < most_items &&
           winnow__input_bytes(query) / kernel->tile_bytes + 2 <= limit;
}

static winnow_status check_tiles(const winnow__kernel *kernel,
                                 const winnow__query *query) {
    if (!takes_tiles(kernel, query))
        return winnow__fail(WINNOW_ERR_UNSUPPORTED,
                            "n is %llu: this strategy takes fewer than 2^%d "
                            "elements in fewer than 2^%d tiles of %u bytes",
                            (unsigned long long)query->n, WINNOW__SURVIVOR_BITS,
                            64 - WINNOW__SURVIVOR_BITS, kernel->tile_bytes);
    return WINNOW_OK;
}

/* A block for each tile. */
static winnow_status plan_each(const winnow__query *query,
                               const winnow__constraints *constraints,
                               winnow__shape shape, winnow__plan *plan) {
    plan->mode = WINNOW__TILE_PER_BLOCK;
    plan->kernel = winnow__find_kernel(shape, query->predicate);
    plan->shape = shape;
    winnow_status status = check_tiles(plan->kernel, query);
    if (status == WINNOW_OK)
        plan->blocks =
            (unsigned)winnow__count_tiles(plan->kernel, query, constraints);
    return status;
}

/* Which shape a candidate takes of a ladder: its own, if it is one of it. */
static winnow__shape find_shape(const winnow__query *query,
                                winnow__shape wanted, winnow__ladder ladder) {
    if (wanted < WINNOW__SHAPE_COUNT && winnow__shapes[wanted].ladder == ladder)
        return wanted;
    return winnow__choose_shape(query, ladder);
}

/* One block or one cluster: where the size of the input is for it, or a
 * candidate's shape. */
static winnow_status plan_bare(const winnow__query *query,
                               const winnow__constraints *constraints,
                               winnow__shape wanted, winnow__shape last,
                               winnow__plan *plan, bool *possible_p) {
    const winnow__sink_shapes *const shapes = query->operation->shapes;
    return wanted < WINNOW__SHAPE_COUNT
               ? winnow__plan_bare_in(query, constraints, wanted, plan,
                                      possible_p)
               : winnow__plan_bare(query, constraints, shapes, last, plan,
                                   possible_p);
}

static winnow_status plan_aggregated(const winnow__query *query,
                                     const winnow__constraints *constraints,
                                     winnow__shape wanted, winnow__plan *plan) {
    const winnow__sink_shapes *const shapes = query->operation->shapes;
    bool possible;
    winnow_status status = plan_bare(
        query, constraints, wanted, shapes->unordered_cluster, plan, &possible);
    if (status != WINNOW_OK || possible)
        return status;
    const winnow__shape shape = find_shape(query, wanted, shapes->aggregated);
    status = plan_each(query, constraints, shape, plan);
    plan->overlaps = true;
    if (status != WINNOW_OK || !constraints->located)
        return status; /* nothing will be launched */
    unsigned most = 0;
    status = winnow__resident_blocks(query, shape, &most);
    plan->trigger_early = winnow__triggers_early(
        winnow__is_striped(plan->kernel, query), plan->blocks, most);
    return status;
}

/* One word for each tile; what clears them stores two at a time. */
static size_t state_bytes(const winnow__kernel *kernel,
                          const winnow__query *query) {
    return (winnow__most_tiles(kernel, query) + 1) / 2 * 2 *
           sizeof(unsigned long long);
}

bool winnow__can_look_back(const winnow__query *query, winnow__shape shape) {
    return winnow__has_room(query, shape) &&
           takes_tiles(winnow__find_kernel(shape, query->predicate), query);
}

bool winnow__is_one_pass(const winnow__query *query, winnow__shape shape) {
    return !winnow__is_within(query, WINNOW__SHAPE_tile_scan_small) &&
           winnow__can_look_back(query, shape);
}

winnow_status winnow__plan_look_back(const winnow__query *query,
                                     const winnow__constraints *constraints,
                                     winnow__shape shape, winnow__plan *plan) {
    unsigned most = 0;
    const winnow__kernel *kernel = winnow__find_kernel(shape, query->predicate);
    winnow_status status = check_tiles(kernel, query);
    if (status == WINNOW_OK)
        status = winnow__resident_blocks(query, shape, &most);
    const uint64_t tiles = winnow__count_tiles(kernel, query, constraints);
    winnow__plan_blocks(WINNOW__PERSISTENT, kernel, tiles < most ? tiles : most,
                        true, plan);
    plan->shape = shape;
    plan->cleared = state_bytes(kernel, query);
    return status;
}

/* A launch whose blocks exchange counts; a single block is never refused. */
static bool may_be_refused(const winnow__plan *plan) {
    return plan->groups != 0 || plan->mode == WINNOW__CLUSTER;
}

/* One wave: where the size of the input is for it, or a candidate's shape. */
static winnow_status plan_one_wave(const winnow__query *query,
                                   const winnow__constraints *constraints,
                                   winnow__shape wanted, winnow__plan *plan,
                                   bool *possible_p) {
    const winnow__ladder ladder = query->operation->shapes->one_wave;
    *possible_p = false;
    if (wanted == WINNOW__SHAPE_COUNT)
        return winnow__plan_one_wave(query, constraints, ladder, plan,
                                     possible_p);
    if (winnow__shapes[wanted].ladder == ladder)
        return winnow__plan_one_wave_in(query, constraints, wanted, plan,
                                        possible_p);
    return WINNOW_OK;
}

static winnow_status plan_scan(const winnow__query *query,
                               const winnow__constraints *constraints,
                               winnow__shape wanted, winnow__plan *plan) {
    const winnow__sink_shapes *const shapes = query->operation->shapes;
    bool possible;
    winnow_status status = plan_bare(query, constraints, wanted,
                                     shapes->stable_cluster, plan, &possible);
    if (status == WINNOW_OK && !possible)
        status = plan_one_wave(query, constraints, wanted, plan, &possible);
    if (status != WINNOW_OK || (possible && !may_be_refused(plan)))
        return status;
    const winnow__shape shape = find_shape(query, wanted, shapes->look_back);
    if (!possible)
        return winnow__plan_look_back(query, constraints, shape, plan);
    plan->fallback =
        state_bytes(winnow__find_kernel(shape, query->predicate), query);
    return WINNOW_OK;
}

/* Can the device run all blocks of a launch together, as far as is known? */
static winnow_status check_cooperative(const winnow__query *query,
                                       const winnow__constraints *constraints,
                                       unsigned most) {
    const winnow__cuda_context *context =
        (const winnow__cuda_context *)query->context;
    if (!context->cooperative)
        return winnow__fail(WINNOW_ERR_UNSUPPORTED,
                            "device %d has no cooperative launches, which "
                            "software_atomic needs",
                            context->device);
    if (!constraints->exchange)
        return winnow__fail(WINNOW_ERR_UNSUPPORTED,
                            "the stream cannot run the blocks of "
                            "software_atomic together: does it have only a "
                            "part of device %d?",
                            context->device);
    if (most < 2)
        return winnow__fail(WINNOW_ERR_UNSUPPORTED,
                            "device %d runs one block of software_atomic at a "
                            "time, which needs two",
                            context->device);
    return WINNOW_OK;
}

/* A slot for each warp of the blocks but the coordinator's, which are aligned
 * to more than the workspace. */
static size_t slot_bytes(const winnow__kernel *kernel, uint64_t clients) {
    return clients * (kernel->threads / 32) * WINNOW__SLOT_BYTES +
           WINNOW__SLOT_BYTES - 16;
}

/* The coordinator, and as many blocks beside it as there are tiles, or as there
 * is room for: the launch is refused if they cannot run together. */
static winnow_status plan_software(const winnow__query *query,
                                   const winnow__constraints *constraints,
                                   winnow__shape shape, winnow__plan *plan) {
    unsigned most = 0;
    winnow_status status = winnow__resident_blocks(query, shape, &most);
    if (status == WINNOW_OK)
        status = check_cooperative(query, constraints, most);
    if (status != WINNOW_OK)
        return status;
    const winnow__kernel *kernel = winnow__find_kernel(shape, query->predicate);
    const uint64_t tiles = winnow__count_tiles(kernel, query, constraints);
    const uint64_t most_tiles = winnow__most_tiles(kernel, query);
    plan->mode = WINNOW__COOPERATIVE;
    plan->kernel = kernel;
    plan->shape = shape;
    plan->blocks = (unsigned)(tiles < most - 1 ? tiles : most - 1) + 1;
    plan->cleared =
        slot_bytes(kernel, most_tiles < most - 1 ? most_tiles : most - 1);
    return WINNOW_OK;
}

static winnow_status plan_cub(const winnow__query *query, bool choice,
                              winnow__plan *plan) {
    plan->mode = WINNOW__BY_CUB;
    plan->shape = WINNOW__SHAPE_COUNT;
    plan->cursor = false;
    winnow_status status = winnow__check_cub(query);
    if (status == WINNOW_OK)
        status = winnow__cub_bytes(query, choice, &plan->other);
    return status;
}

winnow_status winnow__plan_compaction(const winnow__query *query,
                                      const winnow__constraints *constraints,
                                      winnow__plan *plan_p) {
    const winnow__sink_shapes *const shapes = query->operation->shapes;
    winnow__candidate candidate = constraints->candidate;
    if (candidate.strategy == WINNOW_AUTO) {
        const winnow__choice choice = winnow__choose(query);
        candidate = winnow__candidate_of(&choice, 0);
    }
    plan_p->strategy = candidate.strategy;
    switch (candidate.strategy) {
    case WINNOW_GLOBAL_ATOMIC:
        return plan_each(query, constraints, shapes->global_atomic, plan_p);
    case WINNOW_SHARED_ATOMIC:
        return plan_each(query, constraints, shapes->shared_atomic, plan_p);
    case WINNOW_WARP_AGGREGATED:
        return plan_each(query, constraints, shapes->warp_aggregated, plan_p);
    case WINNOW_WARP_SHARED:
        return plan_each(query, constraints, shapes->warp_shared, plan_p);
    case WINNOW_SOFTWARE_ATOMIC:
        return plan_software(query, constraints, shapes->software_atomic,
                             plan_p);
    case WINNOW_TILE_AGGREGATED:
        return plan_aggregated(query, constraints, candidate.shape, plan_p);
    case WINNOW_TILE_SCAN:
        return plan_scan(query, constraints, candidate.shape, plan_p);
    case WINNOW_CUB_SCAN:
        return plan_cub(query, constraints->choice, plan_p);
    default:
        return winnow__fail(WINNOW_ERR_UNSUPPORTED, "unknown strategy");
    }
}
