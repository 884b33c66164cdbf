/*
 * How many tiles an input has, and the plan for any number of tiles.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "plan.h"
#include "core/status.h"

/* ------------------------------------------------------------------ tiles */

/*
 * Tiles are cut at aligned addresses (kernels/tile/blocked.cuh), so there may
 * be one more than the input would fill.
 */
uint64_t winnow__count_tiles(const winnow__kernel *kernel,
                             const winnow__input *input,
                             const winnow__constraints *constraints) {
    const unsigned most_ahead = kernel->vector_bytes - input->item_bytes;
    const unsigned ahead =
        constraints->located
            ? (unsigned)(constraints->in % kernel->vector_bytes)
            : most_ahead;
    return (ahead + input->n * input->item_bytes + kernel->tile_bytes - 1) /
           kernel->tile_bytes;
}

/* The size of memory must not depend on the address: the workspace is asked for
 * before the address is known. */
uint64_t winnow__most_tiles(const winnow__kernel *kernel,
                            const winnow__input *input) {
    const winnow__constraints anywhere = {.located = false};
    return winnow__count_tiles(kernel, input, &anywhere);
}

static bool takes_tiles(const winnow__kernel *kernel,
                        const winnow__input *input) {
    const uint64_t limit = (UINT64_C(1) << (64 - WINNOW__SURVIVOR_BITS)) - 1;
    const uint64_t most_items = UINT64_C(1) << WINNOW__SURVIVOR_BITS;
    return input->n < most_items &&
           input->n * input->item_bytes / kernel->tile_bytes + 2 <= limit;
}

winnow_status winnow__check_tiles(const winnow__kernel *kernel,
                                  const winnow__input *input) {
    if (!takes_tiles(kernel, input))
        return winnow__unsupported(
            "n is %llu: this strategy takes fewer than 2^%d "
            "elements in fewer than 2^%d tiles of %u bytes",
            (unsigned long long)input->n, WINNOW__SURVIVOR_BITS,
            64 - WINNOW__SURVIVOR_BITS, kernel->tile_bytes);
    return WINNOW_OK;
}

/* --------------------------------------------------------------- look-back */

/* The kernel that clears the words stores two words at a time. */
size_t winnow__state_bytes(const winnow__kernel *kernel,
                           const winnow__input *input) {
    return (winnow__most_tiles(kernel, input) + 1) / 2 * 2 *
           sizeof(unsigned long long);
}

bool winnow__can_look_back(const winnow__input *input, winnow__shape shape) {
    return winnow__has_room(input, shape) &&
           takes_tiles(winnow__find_kernel(shape, input->key), input);
}

bool winnow__is_one_pass(const winnow__input *input, winnow__shape shape) {
    return !winnow__is_within(input, WINNOW__SHAPE_tile_scan_small) &&
           winnow__can_look_back(input, shape);
}

winnow_status winnow__plan_look_back(const winnow__input *input,
                                     const winnow__constraints *constraints,
                                     winnow__shape shape, winnow__plan *plan) {
    unsigned most = 0;
    const winnow__kernel *kernel = winnow__find_kernel(shape, input->key);
    winnow_status status = winnow__check_tiles(kernel, input);
    if (status == WINNOW_OK)
        status = winnow__resident_blocks(input, shape, &most);
    const uint64_t tiles = winnow__count_tiles(kernel, input, constraints);
    winnow__plan_blocks(WINNOW__PERSISTENT, kernel, tiles < most ? tiles : most,
                        true, plan);
    plan->shape = shape;
    plan->cleared = winnow__state_bytes(kernel, input);
    return status;
}
