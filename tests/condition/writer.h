/*
 * Random conditions as text, in C's and SQL's words, each beside the expression
 * that it is.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_TESTS_WRITER_H
#define WINNOW_TESTS_WRITER_H

#include "element.h"
#include "mixed.h"

/* A column of each type, and one of bits; two of 128 bits, and strings. Names
 * that are not plain stand in quotes. */
#define WRITER_NUMBERS (ELEMENT_TYPES + 1)
#define WRITER_COLUMNS (WRITER_NUMBERS + MIXED_OTHERS)
struct writer_column {
    const char *name;
    bool plain;
};
extern const struct writer_column writer_columns[WRITER_COLUMNS];

struct writer {
    uint64_t seed;
    struct mixed *mixed;
    const struct pool *pools;
    struct expression *expression;
    unsigned copies; /* more conditions that may be asked whether they are null:
                        each counts twice */
    size_t length;
    char text[1 << 16];
};

/* ---- writer.c: words */

void put(struct writer *w, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Does the text end with one, which another may not follow at once? */
bool ends_word(const struct writer *w);
/* A word in any case of letters, apart from those beside it. */
void put_word(struct writer *w, const char *word);
/* C's or SQL's. */
void put_either(struct writer *w, const char *c, const char *sql);
void put_column(struct writer *w, unsigned column);

/* By winnow_compare. */
extern const char *const compare_words[6], *const mirrored_words[6],
                                               *const sql_words[6];

/* Null is now and then in place of a constant. */
bool is_null_drawn(struct writer *w);
/* Of which a comparison is unknown. */
unsigned write_null(struct writer *w);

/* The opposite of a part, if it is one. The last node is the root. */
unsigned turn(struct writer *w, bool negated, unsigned root);
/* Of what is between two bounds, either of which may be null. */
unsigned joined(struct writer *w, bool negated, unsigned a, unsigned b);

/* ---- Tests; the number of the node. */

/* write_numbers.c: of a column of numbers or bits */
unsigned write_number_test(struct writer *w, unsigned column);
/* write_wides.c, write_strings.c: by its number among those columns */
unsigned write_wide(struct writer *w, unsigned wide_number);
unsigned write_text(struct writer *w, unsigned text_number);
/* write_nulls.c: of no column, or of nulls */
unsigned write_null_test(struct writer *w);

#endif
