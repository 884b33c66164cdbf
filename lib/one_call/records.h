/*
 * Records packed in one pass over them, by a test of a field.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_LIB_ONE_CALL_RECORDS_H
#define WINNOW_LIB_ONE_CALL_RECORDS_H

#include "cuda/plan.h"

typedef struct winnow__records {
    const void *in;
    void *out;
    size_t bytes; /* of a record */
    size_t field; /* where it begins in a record; of the predicate's type */
    uint64_t capacity; /* as the caller gave it */
} winnow__records;

/* Can they go in one pass, and is the input large enough for it? The query's
 * n is the number of records. */
bool winnow__is_records_scan(const winnow__query *query,
                             const winnow__records *records);
winnow_status winnow__plan_records_scan(const winnow__query *query,
                                        const winnow__constraints *constraints,
                                        const winnow__records *records,
                                        winnow__plan *plan);
/* Set all that the kernel's arguments say of them. */
void winnow__set_records(const winnow__query *query,
                         const winnow__records *records, winnow__args *args);

#endif
