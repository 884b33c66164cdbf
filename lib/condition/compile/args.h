/*
 * The argument of a kernel that is compiled at run time: plain C, and part of
 * the source of each kernel.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_LIB_CONDITION_COMPILE_ARGS_H
#define WINNOW_LIB_CONDITION_COMPILE_ARGS_H

#include <stdint.h>

/* Addresses of a column: its bits, or its elements. */
typedef struct winnow__compiled_column {
    const unsigned char *first;
    uint64_t stride;
    uint32_t skip, is_aligned;
} winnow__compiled_column;

/* The columns and the constants follow it. */
typedef struct winnow__compiled_args {
    uint32_t *keep;   /* of the selection that is made */
    uint16_t *counts; /* of its tiles; or NULL */
    uint64_t *words;  /* WINNOW__REDUCE_WORDS arrays for each aggregate */
    const unsigned long long
        *items; /* NULL, or the number of items to look at */
    uint64_t n;
    uint64_t tiles; /* of the selection; or of a part, one for each block */
    uint64_t by_vectors; /* can all columns be loaded by aligned vectors? */
} winnow__compiled_args;

#endif
