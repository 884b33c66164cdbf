/*
 * What the kernel of a program depends on, as bytes. A condition has their sum, so
 * that a call hashes none of them and writes none down.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "expression.h"
#include "where_program.h"

/* What becomes of bytes that are put: they are added to the sum, and copied, or
 * compared with as many. */
typedef struct winnow__key {
    winnow__key_sum sum;
    unsigned char *to;         /* NULL, or where they are copied */
    const unsigned char *with; /* NULL, or what they are compared with */
    bool differs;
} winnow__key;

static inline winnow__key winnow__no_key(void) {
    return (winnow__key){.sum.hash = UINT64_C(0xcbf29ce484222325)};
}

void winnow__key_put_byte(winnow__key *key, unsigned byte);
void winnow__key_put_expression(winnow__key *key,
                                const winnow__expression *expression);
void winnow__key_put_program(winnow__key *key,
                             const winnow__where_program *program,
                             const winnow__tested *tested);

/* The first column of a program that is of the same expression as this one. */
unsigned winnow__first_with(const winnow__where_program *program,
                            unsigned column);
bool winnow__reads_bits(const winnow__where_column *column);
/* Of the elements, or values, that tests of a column see: log2 of their bytes. */
unsigned winnow__log2_size_of(const winnow__where_program *program,
                              const winnow__tested *tested, unsigned column);
/* What a test of such elements needs: bit 0 its sign, bit 1 its mask. */
unsigned winnow__test_needs(const winnow__test *test, unsigned log2_size);
