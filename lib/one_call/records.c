/*
 * Records packed in one pass: by TILE_SCAN's kernel, with the selector Field
 * and the sink Records.
 *
 * A selection reads the fields first, and packing then reads whole records. Of
 * records that are no larger than what memory is read by, that is twice the
 * same bytes. So those of 1, 2 and 4 vectors of 16 bytes, whose field lies in
 * one vector, are taken as an array of vectors.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "records.h"

/* The kernels of records are found by the number of their vectors, where those
 * of elements are by their size. */
enum {
    VECTOR = 16, /* bytes */
    RECORDS = 3  /* sizes of them */
};

static const winnow__type_info types[RECORDS] = {{"record", VECTOR, 0, 0, 0},
                                                 {"record", VECTOR, 1, 0, 0},
                                                 {"record", VECTOR, 2, 0, 0}};
static const winnow_predicate of_vectors[RECORDS] = {
    {.type = &types[0]}, {.type = &types[1]}, {.type = &types[2]}};

/* The logarithm of the vectors of a record; RECORDS where there is no kernel
 * for it. */
static unsigned log2_vectors(const winnow__records *records) {
    unsigned log2 = 0;
    while (log2 < RECORDS && records->bytes != (size_t)VECTOR << log2)
        log2++;
    return log2;
}

static bool is_aligned(const void *address) {
    return (uintptr_t)address % VECTOR == 0;
}

/* The query in vectors. */
static winnow__query in_vectors(const winnow__query *query, unsigned log2) {
    winnow__query vectors = *query;
    vectors.predicate = &of_vectors[log2];
    vectors.type = vectors.predicate->type;
    vectors.n <<= log2;
    return vectors;
}

/* Would copy_if take as many bytes in large tiles, as elements of 8 bytes? */
static bool is_large(const winnow__query *vectors) {
    const winnow_predicate predicate = {.type = winnow__type(WINNOW_UINT64)};
    winnow__query words = *vectors;
    words.predicate = &predicate;
    words.type = predicate.type;
    words.n *= 2;
    return !winnow__is_within(&words, WINNOW__SHAPE_tile_scan_small);
}

bool winnow__is_records_scan(const winnow__query *query,
                             const winnow__records *records) {
    const unsigned log2 = log2_vectors(records);
    const size_t last = records->field + query->type->size - 1;
    if (log2 == RECORDS || records->field / VECTOR != last / VECTOR ||
        !is_aligned(records->in) || !is_aligned(records->out))
        return false;
    const winnow__query vectors = in_vectors(query, log2);
    return is_large(&vectors) &&
           winnow__can_look_back(&vectors, WINNOW__SHAPE_records_scan);
}

winnow_status winnow__plan_records_scan(const winnow__query *query,
                                        const winnow__constraints *constraints,
                                        const winnow__records *records,
                                        winnow__plan *plan) {
    const winnow__query vectors = in_vectors(query, log2_vectors(records));
    return winnow__plan_look_back(&vectors, constraints,
                                  WINNOW__SHAPE_records_scan, plan);
}

/*
 * The test of an element, of an element at the top of 8 bytes. All operands are
 * multiples of 2^below, so that arithmetic modulo 2^64 has the outcome of the
 * element's own; the mask takes what is below the element away.
 */
static winnow__test at_top(const winnow__test *test, unsigned size) {
    const unsigned below = 64 - 8 * size; /* bits */
    return (winnow__test){.flip = test->flip << below,
                          .mask = test->mask << below,
                          .low = test->low << below,
                          .span = test->span << below};
}

void winnow__set_records(const winnow__query *query,
                         const winnow__records *records, winnow__args *args) {
    const unsigned log2 = log2_vectors(records);
    const uint64_t capacity =
        records->capacity < query->n ? records->capacity : query->n;
    args->test = at_top(&query->predicate->test, query->type->size);
    args->field_end = (uint8_t)(records->field + query->type->size);
    args->n = query->n << log2;
    args->sink.out = records->out;
    args->sink.capacity = capacity << log2;
}
