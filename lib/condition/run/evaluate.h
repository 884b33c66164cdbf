/*
 * Expressions on the host: a block of items at a time.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "condition/program/expression.h"

#include "host/loops.h"
#include "kernels/string/args.h"

enum {
    WINNOW__BLOCK = 1024, /* few enough items that values stay in a cache */
    /* The bytes for evaluating a block of any expression. */
    WINNOW__MOST_EVALUATE_BYTES =
        (WINNOW__MOST_REGISTERS + 1) * WINNOW__BLOCK * 8 + WINNOW__BLOCK
};

/* May a value be null if no element is: because of an operation, or an index
 * outside of a dictionary? */
bool winnow__values_make_nulls(const winnow__value_program *program,
                               const winnow__value_column columns[]);
/* May a value be null in a call with these columns? */
bool winnow__values_nullable(const winnow__value_program *program,
                             const winnow__value_column columns[]);

/* Bytes of memory, aligned to 64, for evaluating a block of at most `items`
 * items: for the registers of a program, which are too large for a stack. */
size_t winnow__evaluate_bytes(const winnow__expression *expression,
                              unsigned items);

/* Compute the contiguous values of `items` items, at most WINNOW__BLOCK, from
 * item `first` on, by the first `steps` of expression->host. With all steps the
 * values are elements of the result's type, and words of bits for BOOL; with
 * narrow_steps they are integers of narrow_kind. `valid`, unless NULL, gets a
 * bit for each value that is not null. After the last item, bits of a word have
 * any value. `memory`: winnow__evaluate_bytes(). */
void winnow__evaluate(winnow__host_isa isa,
                      const winnow__expression *expression, unsigned steps,
                      const winnow__value_column columns[], uint64_t first,
                      unsigned items, void *memory, void *values,
                      uint32_t *valid);
/* Convert them to INT64. */
void winnow__widen(winnow__host_isa isa, const winnow__expression *expression,
                   const void *narrow, unsigned items, int64_t *values);

/* The strings of a column in an expression that compares strings; `number`
 * counts the columns that it reads. If its access is INDICES, the dictionary's
 * values are columns[expression->columns + number]. */
winnow__compared_strings
winnow__compared_of(const winnow__expression *expression,
                    const winnow__value_column columns[], unsigned number);

/* ---- A program's operations on many items, with a set of loops for each
 * instruction set. */
/* Which operands are constant. */
enum {
    WINNOW__LOOP_A_CONSTANT = 1, /* *a is the value for all items */
    WINNOW__LOOP_B_CONSTANT = 2
};

/* to[i] = a[i] op b[i], for n items; `to` does not overlap them. An operation
 * that makes nulls sets nulls[i] to 1. Not all operands may be constant. */
typedef void winnow__value_loop(void *to, const void *a, const void *b,
                                unsigned constants, uint8_t *nulls, unsigned n);
/* Gather n elements, each `stride` bytes after the one before it. */
typedef void winnow__load_loop(void *to, const unsigned char *first,
                               uint64_t stride, unsigned n);

typedef struct winnow__value_loops {
    winnow__load_loop *load[WINNOW__LOAD_BIT]; /* all loads before LOAD_BIT */
    winnow__value_loop *operation[WINNOW__HOST_CODES];
    /* Set bit i of words to bytes[i], which is 0 or 1; whole words. */
    void (*pack)(const uint8_t *bytes, unsigned n, uint32_t *words);
} winnow__value_loops;

extern const winnow__value_loops winnow__value_loops_portable;
extern const winnow__value_loops winnow__value_loops_avx2;
extern const winnow__value_loops winnow__value_loops_avx512;
