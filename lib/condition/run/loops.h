/*
 * The operations of programs, of many items: one set of loops for each set of
 * instructions that a CPU may have.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "condition/program/host_program.h"

/* What is known of the operands. */
enum {
    WINNOW__LOOP_A_CONSTANT = 1, /* *a is all of it */
    WINNOW__LOOP_B_CONSTANT = 2
};

/* to[i] = a[i] op b[i], of n items; to lies apart. Of operations that make nulls,
 * nulls[i] becomes 1 where they do. Not all operands may be constants. */
typedef void winnow__value_loop(void *to, const void *a, const void *b,
                                unsigned constants, uint8_t *nulls, unsigned n);
/* Bring n elements together, each `stride` bytes behind the one before it. */
typedef void winnow__load_loop(void *to, const unsigned char *first,
                               uint64_t stride, unsigned n);

typedef struct winnow__value_loops {
    winnow__load_loop *load[WINNOW__LOAD_BIT]; /* those before it */
    winnow__value_loop *operation[WINNOW__HOST_CODES];
    /* words: bit i is bytes[i], which is 0 or 1; whole words. */
    void (*pack)(const uint8_t *bytes, unsigned n, uint32_t *words);
} winnow__value_loops;

extern const winnow__value_loops winnow__value_loops_portable;
extern const winnow__value_loops winnow__value_loops_avx2;
extern const winnow__value_loops winnow__value_loops_avx512;
