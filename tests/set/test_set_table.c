/*
 * The tables in which devices look up sets, read here as their format says
 * (kernels/set/table.h) and compared with the sorted values.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "conditions.h"
#include "core/seed.h"
#include "core/type.h"
#include "data.h"
#include "set/image.h"
#include "reduced.h"
#include "set/lookup.h"
#include "suite.h"

/* ------------------------------------------------------------------ reading */

static uint64_t full_of(unsigned size) {
    return UINT64_MAX >> (64 - 8 * size);
}

static uint64_t element_at(const void *elements, unsigned size, uint64_t i) {
    uint64_t x = 0;

    memcpy(&x, (const unsigned char *)elements + i * size, size);
    return x;
}

static uint32_t fold_of(const winnow__set_table *table, uint64_t x) {
    return winnow__set_fold((uint32_t)x, (uint32_t)(x >> 32), table->spread);
}

static bool is_in_bits(const winnow__set_table *table, unsigned size,
                       uint64_t x) {
    const uint32_t *const words = (const uint32_t *)(table + 1);

    if (size >= 4) {
        x = ((x & table->mask) - table->low) & full_of(size);
        x = x < table->bits ? x : table->bits;
    }
    return (words[x / 32] >> (31 - x % 32) & 1) != 0;
}

static bool is_in_perfect(const winnow__set_table *table, unsigned size,
                          uint64_t x) {
    const uint32_t *const seeds = (const uint32_t *)(table + 1);
    const uint32_t fold = fold_of(table, x & table->mask);
    const uint32_t seed = seeds[winnow__set_seed_of(fold, table->mix)];

    return element_at(seeds + WINNOW__SET_SEEDS, size,
                      winnow__set_slot_of(fold, seed, table->shift)) ==
           (x & table->mask);
}

static bool is_in_buckets(const winnow__set_table *table, unsigned size,
                          uint64_t x) {
    const unsigned each = 16 / size;
    uint32_t at = winnow__set_bucket_of(fold_of(table, x & table->mask),
                                        table->mix, table->buckets);

    for (uint32_t looked = 0; looked < table->buckets; looked++) {
        const unsigned char *const bucket =
            (const unsigned char *)(table + 1) + 16 * (size_t)at;

        for (unsigned i = 0; i < each; i++)
            if (element_at(bucket, size, i) == (x & table->mask))
                return true;
        if (element_at(bucket, size, 0) <= element_at(bucket, size, 1))
            return false;
        at = at + 1 == table->buckets ? 0 : at + 1;
    }
    cr_assert_fail("all buckets have overflowed");
    return false;
}

static bool is_in(const winnow__set_table *table, unsigned size, uint64_t x) {
    switch ((winnow__set_form)table->form) {
    case WINNOW__SET_FEW:
        for (unsigned i = 0; i < WINNOW__SET_MOST_FEW; i++)
            if (table->few[i] == (x & table->mask))
                return true;
        return false;
    case WINNOW__SET_BITS:
        return is_in_bits(table, size, x);
    case WINNOW__SET_PERFECT:
        return is_in_perfect(table, size, x);
    default:
        return is_in_buckets(table, size, x);
    }
}

/* -------------------------------------------------------------------- sets */

static int compare(const void *a, const void *b) {
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return x < y ? -1 : x > y;
}

/* The values of one set, as the caller has them, and sorted. */
struct values {
    winnow_type type;
    unsigned size;
    uint64_t mask, number;
    uint64_t *sorted;
    void *elements;
};

static void values_free(struct values *values) {
    free(values->sorted);
    free(values->elements);
}

/* From value(i, seed), under the mask. */
static struct values values_of(winnow_type type, uint64_t mask, uint64_t number,
                               uint64_t (*value)(uint64_t i, uint64_t *seed),
                               uint64_t seed) {
    struct values values = {.type = type,
                            .size = (unsigned)winnow_type_size(type),
                            .number = number};

    values.mask = mask & full_of(values.size);
    values.sorted = must_alloc(number * sizeof(uint64_t));
    values.elements = must_alloc(number * values.size);
    for (uint64_t i = 0; i < number; i++) {
        values.sorted[i] = value(i, &seed) & values.mask;
        memcpy((unsigned char *)values.elements + i * values.size,
               &values.sorted[i], values.size);
    }
    qsort(values.sorted, number, sizeof(uint64_t), compare);
    return values;
}

static bool holds(const struct values *values, uint64_t x) {
    x &= values->mask;
    return bsearch(&x, values->sorted, values->number, sizeof x, compare) !=
           NULL;
}

/* *form_p: the table's. False: the set is a test. */
static bool check(const struct values *values, size_t shared, uint64_t seed,
                  unsigned *form_p) {
    const uint64_t full = full_of(values->size);
    winnow__set *set;
    winnow__test test;
    winnow__set_image image;

    cr_assert_eq(winnow__set_create(&set, &test, winnow__type(values->type),
                                    values->mask, values->elements,
                                    values->number),
                 WINNOW_OK);
    if (set == NULL)
        return false;
    cr_assert_eq(winnow__set_image_make(set, shared, &image), WINNOW_OK);
    cr_assert_eq(image.bytes % 16, 0);
    cr_assert(!image.fits || image.bytes <= shared);
    *form_p = image.table->form;
    for (uint64_t i = 0; i < values->number; i++) {
        const uint64_t x = values->sorted[i];
        const uint64_t tries[] = {x, (x + 1) & full, (x - 1) & full,
                                  x ^ UINT64_C(1)
                                          << draw_next(&seed, 8 * values->size),
                                  draw_next(&seed, UINT64_MAX) & full};

        for (unsigned t = 0; t < sizeof tries / sizeof tries[0]; t++)
            cr_assert_eq(is_in(image.table, values->size, tries[t]),
                         holds(values, tries[t]),
                         "form %u, %u bytes, %llu values, %llx", *form_p,
                         values->size, (unsigned long long)values->number,
                         (unsigned long long)tries[t]);
    }
    winnow__set_image_free(&image);
    winnow__set_release(set);
    return true;
}

/* ------------------------------------------------------------------- values */

static uint64_t anything(uint64_t i, uint64_t *seed) {
    (void)i;
    return draw_next(seed, UINT64_MAX);
}

static uint64_t every_third(uint64_t i, uint64_t *seed) {
    (void)seed;
    return 1000 + 3 * i;
}

static uint64_t around_zero(uint64_t i, uint64_t *seed) {
    (void)seed;
    return 3 * i - 500;
}

static uint64_t high_bits(uint64_t i, uint64_t *seed) {
    (void)seed;
    return (2 * i + 1) << 20;
}

static uint64_t highest_bits(uint64_t i, uint64_t *seed) {
    (void)seed;
    return (2 * i + 1) << 48;
}

static uint64_t small_float(uint64_t i, uint64_t *seed) {
    const float x = (float)(2 * i + 1);
    uint32_t bits;

    (void)seed;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static uint64_t small_double(uint64_t i, uint64_t *seed) {
    const double x = (double)(2 * i + 1);
    uint64_t bits;

    (void)seed;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* -------------------------------------------------------------------- tests */

Test(set_table, holds_the_values) {
    uint64_t (*const kinds[])(uint64_t, uint64_t *) = {
        anything,     every_third, around_zero, high_bits,
        highest_bits, small_float, small_double};
    static const uint64_t numbers[] = {2,  4,   5,    8,    9,
                                       64, 300, 1024, 2048, 6000};
    static const size_t shares[] = {0, 1 << 10, 28 << 10,
                                    WINNOW__SET_MOST_SHARED};
    static const winnow_type types[] = {WINNOW_UINT8, WINNOW_UINT16,
                                        WINNOW_UINT32, WINNOW_UINT64};
    unsigned seen[4] = {0};

    for (unsigned t = 0; t < 4; t++)
        for (unsigned k = 0; k < sizeof kinds / sizeof kinds[0]; k++)
            for (unsigned i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
                for (unsigned masked = 0; masked < 2; masked++) {
                    const uint64_t mask =
                        masked ? UINT64_C(0xfff0ffffffff7ffd) : UINT64_MAX;
                    struct values values =
                        values_of(types[t], mask, numbers[i], kinds[k], 77 + i);

                    for (unsigned s = 0; s < 4; s++) {
                        unsigned form = 0;

                        if (check(&values, shares[s], 5 * i + k, &form))
                            seen[form]++;
                    }
                    values_free(&values);
                }
    for (unsigned form = 0; form < 4; form++)
        cr_assert_gt(seen[form], 10, "form %u: %u", form, seen[form]);
}

/* Values that meet: whatever constants the hashes had, there are such. */
static uint64_t inverse_of(uint32_t factor) {
    uint32_t inverse = factor; /* of an odd number; each step has twice the bits
                                */
    for (unsigned i = 0; i < 5; i++)
        inverse *= 2 - factor * inverse;
    return inverse;
}

/* Buckets that are read to find all values. */
static uint64_t buckets_read(const winnow__set_table *table,
                             const struct values *values) {
    const unsigned each = 16 / values->size;
    uint64_t read = 0;

    for (uint64_t i = 0; i < values->number; i++) {
        const uint64_t x = values->sorted[i];
        uint32_t at = winnow__set_bucket_of(fold_of(table, x), table->mix,
                                            table->buckets);

        for (bool found = false; !found; read++) {
            for (unsigned k = 0; k < each; k++)
                found |= element_at((const unsigned char *)(table + 1) +
                                        16 * (size_t)at,
                                    values->size, k) == x;
            at = at + 1 == table->buckets ? 0 : at + 1;
        }
    }
    return read;
}

/* Neighbours after the product with a constant of the hash. */
static uint64_t neighbours(uint64_t i, uint64_t *factor) {
    const uint32_t fold = (uint32_t)(i * inverse_of((uint32_t)*factor));

    return fold ^ fold >> 15 ^ fold >> 30;
}

/* The next value after *last that the host's first factors put into the first
 * buckets, three of ten: chosen by who knows the seed. */
static uint64_t first_buckets(uint64_t i, uint64_t *last) {
    const uint64_t seed = winnow__seed(0);
    uint32_t x = (uint32_t)*last;
    unsigned f = 0;

    (void)i;
    while (f < 8) {
        x++;
        f = 0;
        while (f < 8 &&
               (x ^ x >> 16) * (uint32_t)winnow__hash_factor(seed + f) <
                   UINT32_MAX / 10 * 3)
            f++;
    }
    *last = x;
    return x;
}

/* Buckets that the host reads to find all values; no more than are allowed. */
static void expect_near_on_the_host(const winnow__set *set,
                                    const struct values *values) {
    const winnow__lookup *const lookup = &set->lookup;
    const unsigned size = values->size;
    const uint64_t buckets = UINT64_C(1) << (8 * size - lookup->shift);
    uint64_t read = 0;

    cr_assert_eq(lookup->kind, WINNOW__IN_BUCKETS);
    for (uint64_t i = 0; i < values->number; i++) {
        const uint64_t x = values->sorted[i];
        uint64_t at = size == 4 ? winnow__bucket_of_32(lookup, (uint32_t)x)
                                : winnow__bucket_of_64(lookup, x);

        for (bool found = false; !found; read++) {
            for (unsigned k = 0; k < WINNOW__BUCKET_BYTES / size; k++)
                found |= element_at((const unsigned char *)lookup->table +
                                        WINNOW__BUCKET_BYTES * at,
                                    size, k) == x;
            at = (at + 1) & (buckets - 1);
        }
        cr_assert_leq(read, 2 * values->number);
    }
}

/* And a device; of a set that is made of the values. */
static void expect_near(const struct values *values) {
    winnow__set *set;
    winnow__test test;
    winnow__set_image image;

    cr_assert_eq(winnow__set_create(&set, &test, winnow__type(values->type),
                                    values->mask, values->elements,
                                    values->number),
                 WINNOW_OK);
    expect_near_on_the_host(set, values);
    cr_assert_eq(winnow__set_image_make(set, 0, &image), WINNOW_OK);
    cr_assert_eq(image.table->form, WINNOW__SET_BUCKETS);
    cr_assert_leq(buckets_read(image.table, values), 2 * values->number);
    winnow__set_image_free(&image);
    winnow__set_release(set);
}

/* The host's buckets, half of which have their room taken. */
Test(set_table, values_that_meet_on_the_host) {
    struct values values =
        values_of(WINNOW_UINT32, UINT64_MAX, 8192, first_buckets, 0);

    expect_near(&values);
    values_free(&values);
}

/* ------------------------------------------------- a seed that is computed
 *
 * Factors were once drawn from a number of which each value had a part: by steps
 * that go back, so that the greatest value gave that number any value, and all
 * others were chosen to meet by its factors.
 */

#define ODD UINT64_C(0x9e3779b97f4a7c15)

static uint64_t inverse_64(uint64_t factor) {
    uint64_t inverse = factor;

    for (unsigned i = 0; i < 5; i++)
        inverse *= 2 - factor * inverse;
    return inverse;
}

/* In an eighth of them each: by one of eight factors the products are small. */
static uint64_t of_factors(uint64_t i, uint64_t number, uint64_t *seed) {
    uint64_t v, drawn = number;

    do {
        v = draw_next(seed, UINT64_C(1) << 40) *
            inverse_64(winnow__hash_factor(drawn + i % 8));
        v ^= v >> 32;
    } while (v >> 63 != 0); /* less than the greatest one */
    return v;
}

/* The value behind the others, of which there are 4 k + 3, that makes the number. */
static uint64_t greatest_for(const uint64_t *sorted, uint64_t others,
                             uint64_t number) {
    uint64_t lane[4] = {0};

    for (uint64_t i = 0; i < others; i++) {
        const uint64_t x = (lane[i % 4] ^ sorted[i]) * ODD;
        lane[i % 4] = x ^ x >> 32;
    }
    const uint64_t last =
        number - ((lane[0] * ODD + lane[1]) * ODD + lane[2]) * ODD;
    return (last ^ last >> 32) * inverse_64(ODD) ^ lane[3];
}

Test(set_table, values_that_a_computed_seed_would_meet) {
    const uint64_t n = reduced_mode() ? 1 << 17 : 1 << 21;
    struct values values = {.type = WINNOW_UINT64,
                            .size = 8,
                            .mask = UINT64_MAX,
                            .number = n,
                            .sorted = must_alloc(8 * n),
                            .elements = must_alloc(8 * n)};
    uint64_t seed = 1, greatest = 0;

    for (uint64_t number = 0; greatest >> 63 == 0; number++) {
        for (uint64_t i = 0; i < n - 1; i++)
            values.sorted[i] = of_factors(i, number, &seed);
        qsort(values.sorted, n - 1, sizeof(uint64_t), compare);
        greatest = greatest_for(values.sorted, n - 1, number);
    }
    values.sorted[n - 1] = greatest;
    memcpy(values.elements, values.sorted, 8 * n);
    expect_near(&values);
    values_free(&values);
}

/* Pairs that any factor of 32 bits for the upper half lets meet, one in two times:
 * they leave a perfect table possible. */
static uint64_t pairs_of_halves(uint64_t i, uint64_t *seed) {
    static uint64_t first;

    if (i % 2 == 0)
        return first = draw_next(seed, UINT64_MAX);
    return (first ^ UINT64_C(1) << 63) + (UINT64_C(0x80000000) ^ 0x10000);
}

Test(set_table, halves_that_meet) {
    struct values values =
        values_of(WINNOW_UINT64, UINT64_MAX, 60, pairs_of_halves, 5);
    unsigned form = 99;

    cr_assert(check(&values, WINNOW__SET_MOST_SHARED, 3, &form));
    cr_assert_eq(form, WINNOW__SET_PERFECT);
    values_free(&values);
}

/* Of 64 bits, few in each half. */
static uint64_t two_bytes(uint64_t i, uint64_t *seed) {
    (void)seed;
    return i << 56 | (i >> 8 & 0xff) << 24;
}

Test(set_table, values_that_meet) {
    static const struct {
        winnow_type type;
        uint64_t (*value)(uint64_t, uint64_t *);
        uint64_t seed;
    } cases[] = {{WINNOW_UINT32, neighbours, 0x85ebca6b},
                 {WINNOW_UINT32, neighbours, 0x9e3779b1},
                 {WINNOW_UINT64, neighbours, 0x85ebca6b},
                 {WINNOW_UINT64, neighbours, 0x9e3779b1},
                 {WINNOW_UINT64, two_bytes, 0}};

    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct values values = values_of(cases[i].type, UINT64_MAX, 60000,
                                         cases[i].value, cases[i].seed);
        winnow__set *set;
        winnow__test test;
        winnow__set_image image;

        cr_assert_eq(winnow__set_create(&set, &test, winnow__type(values.type),
                                        values.mask, values.elements,
                                        values.number),
                     WINNOW_OK);
        cr_assert_not_null(set);
        cr_assert_eq(winnow__set_image_make(set, 0, &image), WINNOW_OK);
        cr_assert_eq(image.table->form, WINNOW__SET_BUCKETS);
        cr_assert_leq(buckets_read(image.table, &values), 2 * values.number);
        winnow__set_image_free(&image);
        winnow__set_release(set);
        values_free(&values);
    }
}

/* What decides how fast a set is looked up. */
Test(set_table, forms) {
    static const struct {
        winnow_type type;
        uint64_t number;
        uint64_t (*value)(uint64_t, uint64_t *);
        size_t shared;
        unsigned form;
    } cases[] = {
        {WINNOW_INT32, 4, anything, WINNOW__SET_MOST_SHARED, WINNOW__SET_FEW},
        {WINNOW_INT32, 5, anything, WINNOW__SET_MOST_SHARED,
         WINNOW__SET_PERFECT},
        {WINNOW_INT32, 64, anything, 4 << 10, WINNOW__SET_PERFECT},
        {WINNOW_INT32, 1024, anything, 28 << 10, WINNOW__SET_PERFECT},
        {WINNOW_INT32, 1024, every_third, 28 << 10, WINNOW__SET_BITS},
        {WINNOW_INT32, 1024, around_zero, 28 << 10, WINNOW__SET_BITS},
        {WINNOW_INT32, 2048, anything, WINNOW__SET_MOST_SHARED,
         WINNOW__SET_PERFECT},
        {WINNOW_FLOAT32, 1024, small_float, 28 << 10, WINNOW__SET_PERFECT},
        {WINNOW_FLOAT64, 1024, small_double, WINNOW__SET_MOST_SHARED,
         WINNOW__SET_PERFECT},
        {WINNOW_INT64, 1024, highest_bits, WINNOW__SET_MOST_SHARED,
         WINNOW__SET_PERFECT},
        {WINNOW_INT64, 1024, anything, 28 << 10, WINNOW__SET_BUCKETS},
        {WINNOW_INT32, 100000, anything, WINNOW__SET_MOST_SHARED,
         WINNOW__SET_BUCKETS},
        {WINNOW_INT32, 400000, every_third, WINNOW__SET_MOST_SHARED,
         WINNOW__SET_BITS},
        {WINNOW_UINT8, 3, anything, 1 << 10, WINNOW__SET_BITS},
        {WINNOW_UINT16, 4, anything, 1 << 10, WINNOW__SET_FEW},
        {WINNOW_UINT16, 5, anything, 1 << 10, WINNOW__SET_BITS},
    };

    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct values values = values_of(cases[i].type, UINT64_MAX,
                                         cases[i].number, cases[i].value, i);
        unsigned form = 99;

        cr_assert(check(&values, cases[i].shared, i, &form));
        cr_assert_eq(form, cases[i].form, "case %u has form %u", i, form);
        values_free(&values);
    }
}
