/*
 * Chooses the form of a set's table, and writes its bytes.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "image.h"

#include "core/round.h"
#include "core/status.h"

#include <stdlib.h>

enum {
    /* A table of bits up to this size is used even if another form is smaller: it
     * needs one load. */
    SMALL_BITS = 16 << 10
};

/* ------------------------------------------------------------------ memory */

/* A head and `bytes` bytes of zeros. */
static winnow_status allocate(const winnow__set *set, winnow__set_form form,
                              size_t bytes, winnow__set_image *image) {
    image->bytes = sizeof *image->table + (size_t)winnow__round_up(bytes, 16);
    image->table = calloc(1, image->bytes);
    if (image->table == NULL)
        return winnow__no_memory("the table of a set");
    image->table->mask = set->mask;
    image->table->form = form;
    return WINNOW_OK;
}

void winnow__set_image_free(winnow__set_image *image) {
    free(image->table);
    image->table = NULL;
}

/* -------------------------------------------------------------------- few */

static winnow_status make_few(const winnow__set *set,
                              winnow__set_image *image) {
    WINNOW__TRY(allocate(set, WINNOW__SET_FEW, 0, image));
    for (uint64_t i = 0; i < WINNOW__SET_MOST_FEW; i++)
        image->table->few[i] =
            winnow__set_value(set, i < set->number ? i : set->number - 1);
    return WINNOW_OK;
}

/* ------------------------------------------------------------------- bits */

/* Bits for the set's interval and one bit after it. If there are more than 32 bits
 * can count: more bytes than any table has. */
static uint64_t bytes_of_bits(const winnow__set *set) {
    return set->span >= UINT32_MAX - 1 ? UINT64_MAX / 2
                                       : (set->span + 2 + 127) / 128 * 16;
}

static void set_bit(winnow__set_table *table, uint64_t bit) {
    uint32_t *const words = (uint32_t *)(table + 1);
    words[bit / 32] |= UINT32_C(1) << (31 - bit % 32);
}

static bool has_bit(const winnow__set_table *table, uint64_t bit) {
    const uint32_t *const words = (const uint32_t *)(table + 1);
    return (words[bit / 32] >> (31 - bit % 32) & 1) != 0;
}

static winnow_status make_bits(const winnow__set *set,
                               winnow__set_image *image) {
    const uint64_t full = winnow__all_bits(set->type);
    WINNOW__TRY(
        allocate(set, WINNOW__SET_BITS, (size_t)bytes_of_bits(set), image));
    image->table->low = set->low;
    image->table->bits = set->span + 1;
    for (uint64_t i = 0; i < set->number; i++)
        set_bit(image->table, (winnow__set_value(set, i) - set->low) & full);
    return WINNOW_OK;
}

/* For 1 and 2 bytes: a bit for every pattern, so that no mask is needed. */
static winnow_status make_all_bits(const winnow__set *set,
                                   winnow__set_image *image) {
    const uint64_t patterns = UINT64_C(1) << 8 * set->type->size;
    WINNOW__TRY(allocate(set, WINNOW__SET_BITS, (size_t)patterns / 8, image));
    for (uint64_t i = 0; i < set->number; i++)
        set_bit(image->table, winnow__set_value(set, i));
    for (uint64_t x = 0; x < patterns; x++)
        if (has_bit(image->table, x & set->mask)) /* at most x: it is final */
            set_bit(image->table, x);
    return WINNOW_OK;
}

/* ------------------------------------------------------------ hash tables */

/* *made_p: were seeds found, for a table of at most `most` bytes? */
static winnow_status try_perfect(const winnow__set *set, size_t most,
                                 winnow__set_image *image, bool *made_p) {
    const unsigned log2_size = set->type->log2_size;
    *made_p = false;
    for (unsigned log2 = winnow__perfect_least(set->number);; log2++) {
        const size_t data = WINNOW__SET_SEEDS * sizeof(uint32_t) +
                            ((size_t)1 << (log2 + log2_size));
        if (sizeof *image->table + data > most)
            return WINNOW_OK;
        winnow_status status = allocate(set, WINNOW__SET_PERFECT, data, image);
        if (status == WINNOW_OK)
            status = winnow__perfect_fill(set, log2, image->table, made_p);
        if (status != WINNOW_OK || !*made_p)
            winnow__set_image_free(image);
        if (status != WINNOW_OK || *made_p)
            return status;
    }
}

static winnow_status make_buckets(const winnow__set *set, uint32_t buckets,
                                  winnow__set_image *image) {
    WINNOW__TRY(allocate(set, WINNOW__SET_BUCKETS,
                         (size_t)buckets * WINNOW__SET_BUCKET_BYTES, image));
    winnow_status status =
        winnow__device_buckets_fill(set, buckets, image->table);
    if (status != WINNOW_OK)
        winnow__set_image_free(image);
    return status;
}

/* ------------------------------------------------------------------ choice */

/* For elements of 4 and 8 bytes, and more than a few values. */
static winnow_status make_large(const winnow__set *set, size_t shared,
                                winnow__set_image *image) {
    const uint64_t bits = bytes_of_bits(set) + sizeof *image->table;
    const uint32_t buckets =
        winnow__device_buckets_wanted(set->number, set->type->size);
    bool made = false;
    image->fits = true;
    if (bits <= SMALL_BITS && bits <= shared)
        return make_bits(set, image);
    WINNOW__TRY(
        try_perfect(set, bits < shared ? (size_t)bits : shared, image, &made));
    if (made)
        return WINNOW_OK;
    image->fits = bits <= shared;
    return image->fits ||
                   bits <= sizeof *image->table +
                               (uint64_t)buckets * WINNOW__SET_BUCKET_BYTES
               ? make_bits(set, image)
               : make_buckets(set, buckets, image);
}

winnow_status winnow__set_image_make(const winnow__set *set, size_t shared,
                                     winnow__set_image *image_p) {
    const unsigned size = set->type->size;
    const bool few = size > 1 && set->number <= WINNOW__SET_MOST_FEW;
    winnow__set_image made = {.fits = true};
    WINNOW__TRY(few         ? make_few(set, &made)
                : size <= 2 ? make_all_bits(set, &made)
                            : make_large(set, shared, &made));
    made.fits = made.fits && made.bytes <= shared;
    *image_p = made;
    return WINNOW_OK;
}
