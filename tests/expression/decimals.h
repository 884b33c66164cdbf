/*
 * Columns of decimals and integers, and decimals in the tests' own words: signs and
 * digits, as they are added and multiplied on paper.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_TESTS_DECIMALS_H
#define WINNOW_TESTS_DECIMALS_H

#include "backend.h"
#include "tests/condition/wides.h"

enum {
    DECIMAL_DIGITS = 240,
    DECIMAL_COLUMNS = 14,
    DECIMAL_INTEGERS = 10 /* the first column of integers; decimals before */
};

/* digits / 10^scale; least significant first. */
struct decimal {
    bool null, negative;
    int scale;
    unsigned char digit[DECIMAL_DIGITS];
};

struct decimal_column {
    char name[8], format[24];
    int precision, scale; /* precision 0: it is of integers, */
    int digits;           /* the number of digits */
    winnow_type type;
    struct decimal *values;
    void *d_memory, *d_valid;
};

struct decimal_table {
    const struct backend *backend;
    uint64_t n;
    struct decimal_column column[DECIMAL_COLUMNS];
    winnow_field fields[DECIMAL_COLUMNS];
    winnow_in in[DECIMAL_COLUMNS];
};

/* Decimals of all types, and integers; with nulls, and with elements that have
 * more digits than their precision, which are null where they are computed with. */
void decimal_table_open(struct decimal_table *table,
                        const struct backend *backend, uint64_t n,
                        uint64_t seed);
void decimal_table_close(struct decimal_table *table);

struct decimal decimal_of(wide units, int scale);
/* The same number at a finer scale. */
struct decimal decimal_at_scale(const struct decimal *a, int scale);
/* a < b: -1; a == b: 0; a > b: 1 */
int decimal_order(const struct decimal *a, const struct decimal *b);

/* A text keeps those items of which keep[i] is not 0. */
void decimals_check_text(const struct backend *backend,
                         const winnow_field *fields, const winnow_in *in,
                         unsigned columns, uint64_t n, const char *text,
                         const uint8_t *keep);
/* Random conditions of two columns. */
void decimals_check_comparisons(const struct decimal_table *table,
                                unsigned conditions, uint64_t seed);
/* So many casts of floats of all types to decimals. */
void decimals_check_floats(const struct backend *backend, unsigned casts,
                           uint64_t seed);

#endif
