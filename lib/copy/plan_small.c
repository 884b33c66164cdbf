/*
 * Plans for inputs of few tiles, whose blocks need no memory, or little that
 * needs no clearing.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cuda/plan.h"
#include "core/operation.h"

/* One tile, in either order. */
static void plan_block(const winnow__query *query, winnow__shape shape,
                       winnow__plan *plan) {
    winnow__plan_blocks(WINNOW__TILE_PER_BLOCK,
                        winnow__find_kernel(shape, query->predicate), 1, false,
                        plan);
    plan->shape = shape;
}

static bool plan_single_block(const winnow__query *query, winnow__ladder ladder,
                              winnow__plan *plan) {
    const winnow__shape shape = winnow__choose_shape(query, ladder);
    if (!winnow__is_within(query, shape))
        return false;
    plan_block(query, shape, plan);
    return true;
}

/* The blocks of one cluster, in order, in one shape. */
static winnow_status plan_cluster_in(const winnow__query *query,
                                     winnow__shape shape, winnow__plan *plan,
                                     bool *possible_p) {
    const winnow__kernel *kernel = winnow__find_kernel(shape, query->predicate);
    const uint64_t tiles = winnow__most_tiles(kernel, query);
    unsigned most;
    *possible_p = false;
    if (!winnow__has_room(query, shape) || tiles > WINNOW__MOST_CLUSTER)
        return WINNOW_OK;
    winnow_status status = winnow__cluster_blocks(query, shape, &most);
    *possible_p = status == WINNOW_OK && tiles <= most;
    if (*possible_p) {
        winnow__plan_blocks(WINNOW__CLUSTER, kernel, tiles, false, plan);
        plan->shape = shape;
    }
    return status;
}

/* In the first that does of a ladder. */
static winnow_status plan_cluster(const winnow__query *query,
                                  const winnow__constraints *constraints,
                                  winnow__ladder ladder, winnow__shape last,
                                  winnow__plan *plan, bool *possible_p) {
    winnow_status status = WINNOW_OK;
    /* Where memory would have to be cleared first, a cluster is worth it as far
     * as it goes. */
    for (winnow__shape shape = winnow__choose_shape(query, ladder);
         shape < WINNOW__SHAPE_COUNT && winnow__shapes[shape].ladder == ladder;
         shape++) {
        if (constraints->ready &&
            (shape > last || !winnow__is_within(query, shape)))
            break;
        status = plan_cluster_in(query, shape, plan, possible_p);
        if (status != WINNOW_OK || *possible_p)
            break;
    }
    return status;
}

winnow_status winnow__plan_bare(const winnow__query *query,
                                const winnow__constraints *constraints,
                                const winnow__sink_shapes *shapes,
                                winnow__shape last, winnow__plan *plan,
                                bool *possible_p) {
    *possible_p = plan_single_block(query, shapes->single_block, plan);
    if (*possible_p || !constraints->exchange)
        return WINNOW_OK;
    return plan_cluster(query, constraints, shapes->cluster, last, plan,
                        possible_p);
}

winnow_status winnow__plan_bare_in(const winnow__query *query,
                                   const winnow__constraints *constraints,
                                   winnow__shape shape, winnow__plan *plan,
                                   bool *possible_p) {
    const winnow__ladder ladder = winnow__shapes[shape].ladder;
    *possible_p = false;
    if (ladder == query->operation->shapes->cluster && constraints->exchange)
        return plan_cluster_in(query, shape, plan, possible_p);
    if (ladder == query->operation->shapes->single_block) {
        plan_block(query, shape, plan);
        *possible_p = true;
    }
    return WINNOW_OK;
}

bool winnow__triggers_early(bool is_striped, uint64_t blocks, uint64_t most) {
    return is_striped ? 4 * blocks > 3 * most : 2 * blocks <= most;
}

/* A shape of which the device holds all blocks at once. */
static winnow_status plan_wave(const winnow__query *query,
                               const winnow__constraints *constraints,
                               winnow__shape shape, winnow__plan *plan,
                               bool *possible_p) {
    const winnow__cuda_context *context =
        (const winnow__cuda_context *)query->context;
    const winnow__kernel *kernel = winnow__find_kernel(shape, query->predicate);
    const uint64_t tiles = winnow__most_tiles(kernel, query);
    unsigned most;
    winnow_status status = winnow__resident_blocks(query, shape, &most);
    *possible_p =
        status == WINNOW_OK && tiles <= most && tiles <= WINNOW__MOST_ONE_WAVE;
    if (!*possible_p)
        return status;
    winnow__plan_blocks(constraints->in_place ? WINNOW__COOPERATIVE
                                              : WINNOW__TILE_PER_BLOCK,
                        kernel, winnow__count_tiles(kernel, query, constraints),
                        true, /* the groups lie beside it */
                        plan);
    plan->shape = shape;
    plan->trigger_early = !winnow__is_striped(kernel, query) &&
                          winnow__triggers_early(false, tiles, most);
    plan->spin_limit = constraints->in_place ? 0 : context->spin_limit;
    plan->groups =
        (tiles + WINNOW__GROUP - 1) / WINNOW__GROUP * sizeof(winnow__group);
    return WINNOW_OK;
}

static bool may_exchange(const winnow__query *query,
                         const winnow__constraints *constraints) {
    const winnow__cuda_context *context =
        (const winnow__cuda_context *)query->context;
    return constraints->exchange &&
           query->n <= UINT64_C(1) << WINNOW__EXCHANGE_BITS &&
           (!constraints->in_place || context->cooperative);
}

winnow_status winnow__plan_one_wave_in(const winnow__query *query,
                                       const winnow__constraints *constraints,
                                       winnow__shape shape, winnow__plan *plan,
                                       bool *possible_p) {
    *possible_p = false;
    if (!may_exchange(query, constraints) || !winnow__has_room(query, shape))
        return WINNOW_OK;
    return plan_wave(query, constraints, shape, plan, possible_p);
}

winnow_status winnow__plan_one_wave(const winnow__query *query,
                                    const winnow__constraints *constraints,
                                    winnow__ladder ladder, winnow__plan *plan,
                                    bool *possible_p) {
    *possible_p = false;
    if (!may_exchange(query, constraints))
        return WINNOW_OK;
    winnow_status status = WINNOW_OK;
    for (winnow__shape shape = 0;
         shape < WINNOW__SHAPE_COUNT && status == WINNOW_OK && !*possible_p;
         shape++)
        if (winnow__shapes[shape].ladder == ladder &&
            winnow__is_within(query, shape) && winnow__has_room(query, shape))
            status = plan_wave(query, constraints, shape, plan, possible_p);
    return status;
}
