/*
 * Records packed in one pass over them, by a test of a field.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "tile/plan.h"

typedef struct winnow__records {
    const void *in;
    void *out;
    size_t bytes; /* of a record */
    size_t field; /* where it begins in a record; of the predicate's type */
} winnow__records;

/* The input, in vectors, if they can go in one pass and are enough of them for
 * it. The query's n is the number of records. */
winnow_status winnow__find_records_scan(const winnow__query *query,
                                        const winnow__records *records,
                                        winnow__input *input_p,
                                        bool *possible_p);
/* Set all that the kernel's arguments say of them. */
void winnow__set_records(const winnow__query *query,
                         const winnow__records *records, winnow__args *args);
