/*
 * The argument of a kernel that is compiled at run time: plain C, and in the source
 * of each kernel.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_LIB_CONDITION_COMPILE_ARGS_H
#define WINNOW_LIB_CONDITION_COMPILE_ARGS_H

#include <stdint.h>

/* Of an array of bits, and of elements. */
typedef struct winnow__compiled_column {
    const unsigned char *first;
    uint64_t stride;
    uint32_t skip, is_aligned;
} winnow__compiled_column;

/* Behind it are the columns and the constants. */
typedef struct winnow__compiled_args {
    uint32_t *keep;   /* of a selection, */
    uint16_t *counts; /* and NULL, or of its tiles */
    uint64_t *words;  /* of each aggregate: WINNOW__REDUCE_WORDS arrays */
    const unsigned long long *items; /* NULL, or how many are looked at */
    uint64_t n;
    uint64_t tiles;      /* of the selection; or of a part, which a block has */
    uint64_t by_vectors; /* can all columns be loaded by aligned vectors? */
} winnow__compiled_args;

#endif
