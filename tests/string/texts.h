/*
 * Random strings, columns of them in every form, and tests of strings in the
 * tests' own words: the oracle of what conditions say of strings.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_TESTS_TEXTS_H
#define WINNOW_TESTS_TEXTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <winnow.h>

#include "backend.h"

/* ------------------------------------------------------------------ strings */

enum {
    TEXTS_MOST_BYTES = 400 /* of a string */
};

struct text {
    size_t length;
    unsigned char bytes[TEXTS_MOST_BYTES];
};

/* Short ones mostly, of few letters, in ASCII and UTF-8, some of any bytes. */
void text_random(struct text *text, uint64_t *seed);

/* ------------------------------------------------------------------- tests */

/* As winnow_text_test, and one more. */
#define TEXT_IN 10

struct text_rule {
    int test;
    unsigned number; /* of texts: of a list any, else 1 */
    struct text *texts;
};

/* About as often true as not, of strings that text_random() makes; `like` is a
 * string of those. */
void text_rule_random(struct text_rule *rule, const struct text *like,
                      uint64_t *seed);
void text_rule_free(struct text_rule *rule);
bool text_rule_keeps(const struct text_rule *rule, const struct text *text);
/* Is a string like a pattern, in which `escape` (0: there is none) takes the
 * meaning of what follows? */
bool text_is_like(const struct text *text, const struct text *pattern,
                  unsigned char escape);
/* The library's condition for it, by its calls or by a text: name = 'x'. */
winnow_condition *text_rule_create(const struct text_rule *rule,
                                   unsigned column);
/* Write a string in quotes, of at most 2 * length + 2 bytes; how many. */
size_t text_quote(char *to, const struct text *text);
/* Write the text of the rule, for free(). */
char *text_rule_write(const struct text_rule *rule, const char *name);

/* ------------------------------------------------------------------ columns */

/* How the strings of a column lie. */
struct text_form {
    winnow_type type;
    winnow_type index; /* WINNOW_OPAQUE: it is no dictionary */
    unsigned before;   /* strings that the column does not begin with */
    unsigned buffers;  /* of views: 1, in which they lie in a row, or 2 */
    unsigned shift;    /* bytes before the data */
    bool null_values;  /* of a dictionary: some are */
};

void text_form_random(struct text_form *form, uint64_t *seed);

/* n strings on a backend. Of a dictionary the values are strings of their own;
 * texts[i] is NULL where an index names none, or a null. Of one with nulls both
 * are null. */
struct text_column {
    const struct backend *backend;
    winnow_in in, values;
    const struct text **texts;
    bool has_null_values;
    struct text *owned;
    void *memory[6];
};

void text_column_open(struct text_column *column, const struct backend *backend,
                      const struct text_form *form, uint64_t n, uint64_t *seed);
void text_column_close(struct text_column *column);

#endif
