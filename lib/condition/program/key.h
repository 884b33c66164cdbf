/*
 * The properties on which a program's kernel depends, as bytes. A condition
 * stores their hash, so that a call neither writes nor hashes them.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "expression.h"
#include "where_program.h"

/* Bytes are added to the sum; and copied, or compared with other bytes. */
typedef struct winnow__key {
    winnow__key_sum sum;
    unsigned char *to;         /* NULL, or a copy of the bytes */
    const unsigned char *with; /* NULL, or bytes to compare with */
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

/* The first column of a program with the same expression as this one. */
unsigned winnow__first_with(const winnow__where_program *program,
                            unsigned column);
bool winnow__reads_bits(const winnow__where_column *column);
/* log2 of the bytes of an element or value of a column, as tests see them. */
unsigned winnow__log2_size_of(const winnow__where_program *program,
                              const winnow__tested *tested, unsigned column);
/* What a test of such elements needs: bit 0 the sign, bit 1 the mask. */
unsigned winnow__test_needs(const winnow__test *test, unsigned log2_size);
