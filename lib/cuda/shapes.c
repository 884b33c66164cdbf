/*
 * Which shape for how large an input.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "context.h"

const winnow__shape_info winnow__shapes[WINNOW__SHAPE_COUNT] = {
#define INFO(NAME, LADDER, UNIT, ...)                                          \
    {#NAME, &winnow__##NAME, WINNOW__##LADDER, WINNOW__##UNIT, {__VA_ARGS__}},
    WINNOW__SHAPES(INFO)
#undef INFO
};

static uint64_t scale(uint64_t limit, winnow__unit unit,
                      unsigned multiprocessors) {
    return unit == WINNOW__ITEMS
               ? limit
               : limit * multiprocessors / WINNOW__MEASURED_ON;
}

void winnow__set_limits(unsigned multiprocessors,
                        uint64_t limits[WINNOW__SHAPE_COUNT][WINNOW__SIZES]) {
    for (int shape = 0; shape < WINNOW__SHAPE_COUNT; shape++)
        for (int size = 0; size < WINNOW__SIZES; size++)
            limits[shape][size] =
                scale(winnow__shapes[shape].limits[size],
                      winnow__shapes[shape].unit, multiprocessors);
}

static const winnow__cuda_context *context_of(const winnow__query *query) {
    return (const winnow__cuda_context *)query->context;
}

bool winnow__is_within(const winnow__query *query, winnow__shape shape) {
    const winnow__type_info *type = query->predicate->type;
    const uint64_t limit = context_of(query)->limits[shape][type->log2_size];
    return winnow__shapes[shape].unit == WINNOW__SCALED_BYTES
               ? query->n * type->size <= limit
               : query->n <= limit;
}

bool winnow__has_room(const winnow__query *query, winnow__shape shape) {
    enum {
        OTHER_SHARED = 1024 /* what a kernel has beside its dynamic memory */
    };
    const winnow__kernel *kernel = winnow__find_kernel(shape, query->predicate);
    return kernel->function != NULL && kernel->shared_bytes + OTHER_SHARED <=
                                           context_of(query)->shared_bytes;
}

winnow__shape winnow__choose_shape(const winnow__query *query,
                                   winnow__ladder ladder) {
    winnow__shape last = WINNOW__SHAPE_COUNT;
    for (winnow__shape shape = 0; shape < WINNOW__SHAPE_COUNT; shape++) {
        if (winnow__shapes[shape].ladder != ladder ||
            !winnow__has_room(query, shape))
            continue;
        last = shape;
        if (winnow__is_within(query, shape))
            break;
    }
    return last;
}
