/*
 * Expressions on the host: a block of items at a time.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "condition/program/expression.h"

#include "host/loops.h"

#include <stddef.h>

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

/* Bytes of memory, aligned to 64, that evaluating a block of at most so many items
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
