/*
 * Plans for inputs of few tiles. Their blocks need no memory, or a little that does
 * not have to be cleared.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "plan.h"

/* ------------------------------------------------------------------ a block */

void winnow__plan_block_in(const winnow__input *input, winnow__shape shape,
                           winnow__plan *plan) {
    winnow__plan_blocks(WINNOW__TILE_PER_BLOCK,
                        winnow__find_kernel(shape, input->key), 1, false, plan);
    plan->shape = shape;
}

bool winnow__plan_block(const winnow__input *input, winnow__ladder ladder,
                        winnow__plan *plan) {
    const winnow__shape shape = winnow__choose_shape(input, ladder);
    if (!winnow__is_within(input, shape))
        return false;
    winnow__plan_block_in(input, shape, plan);
    return true;
}

/* ---------------------------------------------------------------- a cluster */

winnow_status winnow__plan_cluster_in(const winnow__input *input,
                                      winnow__shape shape, winnow__plan *plan,
                                      bool *possible_p) {
    const winnow__kernel *kernel = winnow__find_kernel(shape, input->key);
    const uint64_t tiles = winnow__most_tiles(kernel, input);
    unsigned most;
    *possible_p = false;
    if (!winnow__has_room(input, shape) || tiles > WINNOW__MOST_CLUSTER)
        return WINNOW_OK;
    winnow_status status = winnow__cluster_blocks(input, shape, &most);
    *possible_p = status == WINNOW_OK && tiles <= most;
    if (*possible_p) {
        winnow__plan_blocks(WINNOW__CLUSTER, kernel, tiles, false, plan);
        plan->shape = shape;
    }
    return status;
}

winnow_status winnow__plan_cluster(const winnow__input *input,
                                   const winnow__constraints *constraints,
                                   winnow__ladder ladder, winnow__shape last,
                                   winnow__plan *plan, bool *possible_p) {
    winnow_status status = WINNOW_OK;
    *possible_p = false;
    /* If memory would have to be cleared first, a cluster of any size is faster. */
    for (winnow__shape shape = winnow__choose_shape(input, ladder);
         shape < WINNOW__SHAPE_COUNT && winnow__shapes[shape].ladder == ladder;
         shape++) {
        if (constraints->ready &&
            (shape > last || !winnow__is_within(input, shape)))
            break;
        status = winnow__plan_cluster_in(input, shape, plan, possible_p);
        if (status != WINNOW_OK || *possible_p)
            break;
    }
    return status;
}

/* ----------------------------------------------------------------- one wave */

bool winnow__triggers_early(bool is_striped, uint64_t blocks, uint64_t most) {
    return is_striped ? 4 * blocks > 3 * most : 2 * blocks <= most;
}

/* A plan in a shape whose blocks all run on the device at once. */
static winnow_status plan_wave(const winnow__input *input,
                               const winnow__constraints *constraints,
                               winnow__shape shape, winnow__plan *plan,
                               bool *possible_p) {
    const winnow__kernel *kernel = winnow__find_kernel(shape, input->key);
    const uint64_t tiles = winnow__most_tiles(kernel, input);
    unsigned most;
    winnow_status status = winnow__resident_blocks(input, shape, &most);
    *possible_p =
        status == WINNOW_OK && tiles <= most && tiles <= WINNOW__MOST_ONE_WAVE;
    if (!*possible_p)
        return status;
    winnow__plan_blocks(constraints->in_place ? WINNOW__COOPERATIVE
                                              : WINNOW__TILE_PER_BLOCK,
                        kernel, winnow__count_tiles(kernel, input, constraints),
                        true, /* the groups' memory lies beside it */
                        plan);
    plan->shape = shape;
    plan->trigger_early = !winnow__is_striped(kernel, input) &&
                          winnow__triggers_early(false, tiles, most);
    plan->spin_limit = constraints->in_place ? 0 : input->context->spin_limit;
    plan->groups =
        (tiles + WINNOW__GROUP - 1) / WINNOW__GROUP * sizeof(winnow__group);
    return WINNOW_OK;
}

static bool may_exchange(const winnow__input *input,
                         const winnow__constraints *constraints) {
    return constraints->exchange &&
           input->n <= UINT64_C(1) << WINNOW__EXCHANGE_BITS &&
           (!constraints->in_place || input->context->cooperative);
}

winnow_status winnow__plan_one_wave_in(const winnow__input *input,
                                       const winnow__constraints *constraints,
                                       winnow__shape shape, winnow__plan *plan,
                                       bool *possible_p) {
    *possible_p = false;
    if (!may_exchange(input, constraints) || !winnow__has_room(input, shape))
        return WINNOW_OK;
    return plan_wave(input, constraints, shape, plan, possible_p);
}

winnow_status winnow__plan_one_wave(const winnow__input *input,
                                    const winnow__constraints *constraints,
                                    winnow__ladder ladder, winnow__plan *plan,
                                    bool *possible_p) {
    *possible_p = false;
    if (!may_exchange(input, constraints))
        return WINNOW_OK;
    for (winnow__shape shape = 0; shape < WINNOW__SHAPE_COUNT && !*possible_p;
         shape++)
        if (winnow__shapes[shape].ladder == ladder &&
            winnow__is_within(input, shape) && winnow__has_room(input, shape))
            WINNOW__TRY(plan_wave(input, constraints, shape, plan, possible_p));
    return WINNOW_OK;
}
