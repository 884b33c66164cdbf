/*
 * Chooses the shape for a size of input.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "shapes.h"
#include "cuda/slot.h"

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

/* ------------------------------------------------------------- the context's
 */

static winnow_status fill(const winnow__cuda_context *context, void *slot) {
    winnow__device_shapes *const shapes = slot;
    winnow__set_limits(context->multiprocessors, shapes->limits);
    return WINNOW_OK;
}

winnow_status winnow__device_shapes_of(const winnow_context *context,
                                       winnow__device_shapes **shapes_p) {
    static const winnow__slot_kind kind = {
        .bytes = sizeof(winnow__device_shapes), .fill = fill};
    void *slot = NULL;
    WINNOW__TRY(winnow__slot(context, &kind, &slot));
    *shapes_p = slot;
    return WINNOW_OK;
}

winnow_status winnow__input_of(const winnow__query *query,
                               winnow__input *input_p) {
    WINNOW__TRY(
        winnow__input_of_items(query, query->predicate->type->size, input_p));
    input_p->key.kind = query->predicate->kind;
    return WINNOW_OK;
}

winnow_status winnow__input_of_items(const winnow__query *query,
                                     unsigned item_bytes,
                                     winnow__input *input_p) {
    *input_p = (winnow__input){.context = winnow__cuda(query->context),
                               .n = query->n,
                               .item_bytes = item_bytes};
    while (1u << input_p->key.log2_size < item_bytes)
        input_p->key.log2_size++;
    return winnow__device_shapes_of(query->context, &input_p->device);
}

/* ------------------------------------------------------------------ choices */

bool winnow__is_within(const winnow__input *input, winnow__shape shape) {
    const uint64_t limit = input->device->limits[shape][input->key.log2_size];
    return winnow__shapes[shape].unit == WINNOW__SCALED_BYTES
               ? input->n * input->item_bytes <= limit
               : input->n <= limit;
}

bool winnow__has_room(const winnow__input *input, winnow__shape shape) {
    const winnow__kernel *kernel = winnow__find_kernel(shape, input->key);
    return kernel->function != NULL &&
           kernel->shared_bytes + WINNOW__OTHER_SHARED <=
               input->context->shared_bytes;
}

winnow__shape winnow__choose_shape(const winnow__input *input,
                                   winnow__ladder ladder) {
    winnow__shape last = WINNOW__SHAPE_COUNT;
    for (winnow__shape shape = 0; shape < WINNOW__SHAPE_COUNT; shape++) {
        if (winnow__shapes[shape].ladder != ladder ||
            !winnow__has_room(input, shape))
            continue;
        last = shape;
        if (winnow__is_within(input, shape))
            break;
    }
    return last;
}
