/*
 * The values of a block in which few items pass: what they read is gathered, so
 * that nothing is read or computed of the others.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "condition/run/evaluate.h"

enum {
    /* Of more items of a block, most cache lines are read anyway. */
    WINNOW__FEW_ITEMS = WINNOW__BLOCK / 16
};

/* Are all columns of numbers? Others are not gathered. */
bool winnow__can_gather(const winnow__expression *expression,
                        const winnow__value_column columns[]);
enum {
    WINNOW__MOST_FEW_BYTES = WINNOW__MOST_READ * WINNOW__FEW_ITEMS * 16 +
                             WINNOW__FEW_ITEMS * 8 + WINNOW__MOST_EVALUATE_BYTES
};

/* Bytes of memory for that, aligned to 64. */
size_t winnow__evaluate_few_bytes(const winnow__expression *expression);

/*
 * The values of the live items, at most WINNOW__FEW_ITEMS, of the block that
 * begins with item `first`, each at its place in the block; those of float32 as
 * float64. Other places stay as they are. The bits of values that are null are
 * cleared.
 */
void winnow__evaluate_few(winnow__host_isa isa,
                          const winnow__expression *expression,
                          const winnow__value_column columns[], uint64_t first,
                          uint32_t live[WINNOW__BLOCK / 32], void *memory,
                          uint64_t values[]);
