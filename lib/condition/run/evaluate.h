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
    WINNOW__BLOCK = 1024, /* items: their values stay in a cache */
    /* What evaluating a block of any expression takes. */
    WINNOW__MOST_EVALUATE_BYTES =
        (WINNOW__MOST_REGISTERS + 1) * WINNOW__BLOCK * 8 + WINNOW__BLOCK
};

/* May a value be null where no element is: by an operation of the program, or an
 * index of a dictionary? */
bool winnow__values_make_nulls(const winnow__value_program *program,
                               const winnow__value_column columns[]);
/* May a value be null of a call with these columns? */
bool winnow__values_nullable(const winnow__value_program *program,
                             const winnow__value_column columns[]);

/* Bytes of memory, aligned to 64, that evaluating a block of at most `items` items
 * takes: for the registers of a program, which are too large for a stack. */
size_t winnow__evaluate_bytes(const winnow__expression *expression,
                              unsigned items);

/*
 * The values of `items` items, WINNOW__BLOCK at most, from number `first` on, side
 * by side, by the first `steps` of expression->host: by all of them, as elements of
 * the type of the result, of BOOL as words of bits; or by narrow_steps, integers as
 * narrow_kind says. The bits of `valid`, unless it is NULL, say which are not null;
 * else nobody asks. Behind the last item the bits of a word are any. `memory`:
 * winnow__evaluate_bytes().
 */
void winnow__evaluate(winnow__host_isa isa,
                      const winnow__expression *expression, unsigned steps,
                      const winnow__value_column columns[], uint64_t first,
                      unsigned items, void *memory, void *values,
                      uint32_t *valid);
/* They become INT64. */
void winnow__widen(winnow__host_isa isa, const winnow__expression *expression,
                   const void *narrow, unsigned items, int64_t *values);

/* The strings of a column of a call, by its number among those that an expression
 * reads that compares strings. Where its access is INDICES, the dictionary's values
 * are columns[expression->columns + number]. */
winnow__compared_strings
winnow__compared_of(const winnow__expression *expression,
                    const winnow__value_column columns[], unsigned number);

/* ---- The operations of programs, of many items: one set of loops for each
 * set of instructions that a CPU may have. */
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
