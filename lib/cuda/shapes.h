/*
 * The kernels' shapes (kernels/copy/shapes.h), on the host: which are there,
 * and what a device can run of them.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_LIB_CUDA_SHAPES_H
#define WINNOW_LIB_CUDA_SHAPES_H

#include "core/call.h"
#include "kernels/copy/shapes.h"

/* By the size of an element and the kind of test. */
typedef const winnow__kernel winnow__kernels[WINNOW__SIZES][WINNOW__TEST_KINDS];

#define WINNOW__DECLARE_TABLE(NAME, ...) extern winnow__kernels winnow__##NAME;
WINNOW__SHAPES(WINNOW__DECLARE_TABLE)
#undef WINNOW__DECLARE_TABLE
extern const winnow__kernel winnow__store;

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

/* The kernel of a shape that a predicate needs; its function is NULL where
 * there is none. */
static inline const winnow__kernel *
winnow__find_kernel(winnow__shape shape, const winnow_predicate *predicate) {
    return &(*winnow__shapes[shape]
                  .kernels)[predicate->type->log2_size][predicate->kind];
}

/* ---- shapes.c */

/* The limits on a device with so many multiprocessors. */
void winnow__set_limits(unsigned multiprocessors,
                        uint64_t limits[WINNOW__SHAPE_COUNT][WINNOW__SIZES]);

/* Is the input within the shape's limit? */
bool winnow__is_within(const winnow__query *query, winnow__shape shape);

/* Is there a kernel of the shape, and does the device have the shared memory
 * that a block of it takes? */
bool winnow__has_room(const winnow__query *query, winnow__shape shape);

/* The shape of a ladder that a call takes: the last that there is room for, if
 * the limit of none goes so far. */
winnow__shape winnow__choose_shape(const winnow__query *query,
                                   winnow__ladder ladder);

/* ---- occupancy.c: what the device can run together, asked of it once */

/* How many blocks of a shape's kernel fill the device. */
winnow_status winnow__resident_blocks(const winnow__query *query,
                                      winnow__shape shape, unsigned *blocks_p);

/* How many blocks of a shape's kernel a cluster may have; 1 where there are
 * none. */
winnow_status winnow__cluster_blocks(const winnow__query *query,
                                     winnow__shape shape, unsigned *blocks_p);

#endif
