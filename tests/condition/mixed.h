/*
 * Tables with columns of all kinds, any of them with nulls, and random
 * conditions over them: numbers, sets, integers of 128 bits, bits and strings in
 * one tree.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_TESTS_MIXED_H
#define WINNOW_TESTS_MIXED_H

#include "table.h"
#include "tests/string/texts.h"
#include "wides.h"

enum {
    MIXED_TABLE = 16, /* numbers and bits, at most */
    MIXED_WIDES = 2,
    MIXED_TEXTS = 3,
    MIXED_OTHERS = MIXED_WIDES + MIXED_TEXTS,
    MIXED_COLUMNS = MIXED_TABLE + MIXED_OTHERS,
    MIXED_LEAVES = 64 /* of a tree */
};

/* The columns of the table come first, then the wide ones, then the strings. */
struct mixed {
    const struct backend *backend;
    uint64_t n;
    struct table table;
    struct wide_column wides[MIXED_WIDES];
    struct text_column texts[MIXED_TEXTS];
    void *d_valid[MIXED_OTHERS];
    bool *is_null[MIXED_COLUMNS]; /* of the table, its own */
    unsigned leaves;
    struct leaf *leaf[MIXED_LEAVES];
};

/* n rows. The table's pools and layouts are set. */
void mixed_open(struct mixed *mixed, const struct backend *backend, uint64_t n,
                uint64_t seed);
void mixed_close(struct mixed *mixed);

/* A tree of `leaves`, which live until the next one. */
void mixed_random(struct mixed *mixed, struct expression *expression,
                  unsigned leaves, uint64_t seed);
/* Free the leaves. */
void mixed_clear(struct mixed *mixed);
/* Append a test of the strings of column number `column` of them. */
unsigned mixed_text(struct mixed *mixed, struct expression *expression,
                    unsigned column, const struct text_rule *rule);
/* Append a comparison of the strings of two of them. */
unsigned mixed_compare_texts(struct mixed *mixed, struct expression *expression,
                             unsigned a, winnow_compare compare, unsigned b);
unsigned mixed_wide(struct mixed *mixed, struct expression *expression,
                    unsigned column, const struct wide_rule *rule);
/* A string of that column, to make rules of. */
struct text mixed_some_text(const struct mixed *mixed, unsigned column,
                            uint64_t *seed);

/* The number of all columns, and each as a call has it. */
unsigned mixed_columns(const struct mixed *mixed);
winnow_in mixed_column(const struct mixed *mixed, unsigned column);

/* Does a selection, of as many rows as `limit` says, keep what the expression
 * says? */
bool mixed_check(struct mixed *mixed, const struct expression *expression,
                 const winnow_condition *condition, uint64_t limit,
                 struct report *report);

#endif
