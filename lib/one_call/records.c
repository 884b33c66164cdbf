/*
 * Packs records in one pass: TILE_SCAN's kernel, selector Field, sink Records.
 *
 * A selection reads the fields first, and packing then reads whole records. If
 * records are no larger than the unit in which memory is read, that reads the
 * same bytes twice. So records of 1, 2 and 4 vectors of 16 bytes, whose field
 * is inside one vector, are treated as an array of vectors.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "one_pass.h"

enum {
    VECTOR = 16, /* bytes */
    RECORDS = 3  /* number of sizes that have a kernel */
};

/* log2 of the number of vectors of a record; RECORDS if there is no kernel for
 * it. */
static unsigned log2_vectors(const winnow__records *records) {
    unsigned log2 = 0;
    while (log2 < RECORDS && records->bytes != (size_t)VECTOR << log2)
        log2++;
    return log2;
}

static bool is_aligned(const void *address) {
    return (uintptr_t)address % VECTOR == 0;
}

winnow_status winnow__find_records_scan(const winnow__query *query,
                                        const winnow__records *records,
                                        winnow__input *input_p,
                                        bool *possible_p) {
    const unsigned log2 = log2_vectors(records);
    const size_t last = records->field + query->type->size - 1;
    winnow__input words;
    *possible_p = false;
    if (log2 == RECORDS || records->field / VECTOR != last / VECTOR ||
        !is_aligned(records->in) || !is_aligned(records->out))
        return WINNOW_OK;
    WINNOW__TRY(winnow__input_of_items(query, 8, &words));
    *input_p = words;
    input_p->key.log2_size = log2;
    input_p->item_bytes = VECTOR;
    input_p->n = query->n << log2;
    words.n = 2 * input_p->n;
    /* Would copy_if take as many bytes, of 8-byte elements, in large tiles? */
    *possible_p = !winnow__is_within(&words, WINNOW__SHAPE_tile_scan_small) &&
                  winnow__can_look_back(input_p, WINNOW__SHAPE_records_scan);
    return WINNOW_OK;
}

/* The test for an element in the highest bits of a 64-bit word. All operands
 * are multiples of 2^below, so arithmetic modulo 2^64 gives the same result as
 * the element's own. The mask removes the bits below the element. */
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
    args->test = at_top(&query->predicate->test, query->type->size);
    args->field.end = (uint32_t)(records->field + query->type->size);
    args->in = records->in;
    args->n = query->n << log2;
    args->sink.out = records->out;
    args->sink.capacity = query->capacity << log2;
}
