/*
 * The kernels that select in tiles, and their shapes (kernels/tile/shapes.h), on
 * the host: which kernels exist, and which of them a device can run.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "cuda/context.h"
#include "kernels/tile/shapes.h"

/* By the size of an element and the kind of test. */
typedef const winnow__kernel winnow__kernels[WINNOW__SIZES][WINNOW__TEST_KINDS];

#define WINNOW__DECLARE_TABLE(NAME, ...) extern winnow__kernels winnow__##NAME;
WINNOW__SHAPES(WINNOW__DECLARE_TABLE)
#undef WINNOW__DECLARE_TABLE

typedef enum winnow__shape {
#define WINNOW__NUMBER_SHAPE(NAME, ...) WINNOW__SHAPE_##NAME,
    WINNOW__SHAPES(WINNOW__NUMBER_SHAPE)
#undef WINNOW__NUMBER_SHAPE
    WINNOW__SHAPE_COUNT
} winnow__shape;

typedef struct winnow__shape_info {
    const char *name;
    winnow__kernels *kernels;
    winnow__ladder ladder;
    winnow__unit unit;
    uint64_t limits[WINNOW__SIZES];
} winnow__shape_info;

extern const winnow__shape_info winnow__shapes[WINNOW__SHAPE_COUNT];

/* The key by which a kernel of a shape is found. */
typedef struct winnow__kernel_key {
    unsigned log2_size; /* of an element's bytes, or a record's vectors */
    winnow__test_kind kind;
} winnow__kernel_key;

/* The kernel's function is NULL if there is no such kernel. */
static inline const winnow__kernel *
winnow__find_kernel(winnow__shape shape, winnow__kernel_key key) {
    return &(*winnow__shapes[shape].kernels)[key.log2_size][key.kind];
}

/* What a context knows of the shapes. It is made when it is first needed. */
typedef struct winnow__device_shapes {
    /* The largest input that uses the shape, in items or bytes, as the shape's unit
     * says. */
    uint64_t limits[WINNOW__SHAPE_COUNT][WINNOW__SIZES];
    /* What the device answered for a kernel; 0: not asked yet. */
    atomic_uint resident[WINNOW__SHAPE_COUNT][WINNOW__SIZES]
                        [WINNOW__TEST_KINDS];
} winnow__device_shapes;

winnow_status winnow__device_shapes_of(const winnow_context *context,
                                       winnow__device_shapes **shapes_p);

/* What a kernel reads, before its address is known. */
typedef struct winnow__input {
    const winnow__cuda_context *context;
    winnow__device_shapes *device; /* the context's */
    winnow__kernel_key key;
    uint64_t n;
    unsigned item_bytes;
} winnow__input;

/* The query's elements, for its predicate; or items of `item_bytes` bytes, a power
 * of two up to 8, for kernels that exist for any kind of test. */
winnow_status winnow__input_of(const winnow__query *query,
                               winnow__input *input_p);
winnow_status winnow__input_of_items(const winnow__query *query,
                                     unsigned item_bytes,
                                     winnow__input *input_p);

/* ---- shapes.c */

/* The limits on a device with this number of multiprocessors. */
void winnow__set_limits(unsigned multiprocessors,
                        uint64_t limits[WINNOW__SHAPE_COUNT][WINNOW__SIZES]);

/* Is the input within the shape's limit? */
bool winnow__is_within(const winnow__input *input, winnow__shape shape);

enum {
    WINNOW__OTHER_SHARED = 1024 /* what a kernel uses beside dynamic memory */
};
/* Is there a kernel of the shape, and does the device have the shared memory that a
 * block of it needs? */
bool winnow__has_room(const winnow__input *input, winnow__shape shape);

/* The shape of a ladder for a call: the first one whose limit the input is within.
 * If there is none, the last one that the device has room for. */
winnow__shape winnow__choose_shape(const winnow__input *input,
                                   winnow__ladder ladder);

/* ---- occupancy.c: what the device can run together, asked of it once */

/* How many blocks of the shape's kernel fill the device. */
winnow_status winnow__resident_blocks(const winnow__input *input,
                                      winnow__shape shape, unsigned *blocks_p);

/* How many blocks a cluster of the shape's kernel may have; 1 if there are no
 * clusters. */
winnow_status winnow__cluster_blocks(const winnow__input *input,
                                     winnow__shape shape, unsigned *blocks_p);
