/*
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include "writer.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>

const struct writer_column writer_columns[WRITER_COLUMNS] = {
    {"price", true},
    {"Price", true},
    {"_9", true},
    {"isnan", true},
    {"IsFinite", true},
    {"gr\xc3\xb6\xc3\x9f"
     "e",
     true},
    {"And", false},
    {"in", false},
    {"a \"b\"", false},
    {"\"", false},
    {"two\nlines", false},
    {"8", false},
    {"flag", true},
    {"wide", true},
    {"w\xc3\xa4ider", true},
    {"s", true},
    {"in 'quotes'", false},
    {"like", false},
};

const char *const compare_words[6] = {"<", "<=", "==", "!=", ">=", ">"};
const char *const mirrored_words[6] = {">", ">=", "==", "!=", "<=", "<"};
const char *const sql_words[6] = {"<", "<=", "=", "<>", ">=", ">"};

bool ends_word(const struct writer *w) {
    const char last = w->length == 0 ? ' ' : w->text[w->length - 1];

    return isalnum((unsigned char)last) || last == '_' || last == '.' ||
           (unsigned char)last >= 0x80;
}

/* A word, and maybe some space. */
void put(struct writer *w, const char *format, ...) {
    static const char *const spaces[] = {"", "", " ", "\r\n", "\t "};
    va_list arguments;

    va_start(arguments, format);
    w->length += (size_t)vsnprintf(
        w->text + w->length, sizeof(w->text) - w->length, format, arguments);
    va_end(arguments);
    w->length +=
        (size_t)snprintf(w->text + w->length, sizeof(w->text) - w->length, "%s",
                         spaces[draw_next(&w->seed, 5)]);
}

/* A word in any case of letters, apart from those beside it. */
void put_word(struct writer *w, const char *word) {
    char mixed[16];
    size_t length = 0;

    for (; word[length] != '\0'; length++)
        mixed[length] = draw_next(&w->seed, 2)
                            ? (char)toupper((unsigned char)word[length])
                            : word[length];
    mixed[length] = '\0';
    put(w, ends_word(w) ? " %s" : "%s", mixed);
}

/* C's or SQL's. */
void put_either(struct writer *w, const char *c, const char *sql) {
    if (draw_next(&w->seed, 2))
        put(w, "%s", c);
    else if (isalpha((unsigned char)*sql))
        put_word(w, sql);
    else
        put(w, "%s", sql);
}

void put_column(struct writer *w, unsigned column) {
    const char *const name = writer_columns[column].name;
    char quoted[64];
    size_t length = 0;

    if (writer_columns[column].plain && draw_next(&w->seed, 2)) {
        put(w, ends_word(w) ? " %s " : "%s ", name);
        return;
    }
    for (size_t i = 0; name[i] != '\0'; i++) {
        if (name[i] == '"')
            quoted[length++] = '"';
        quoted[length++] = name[i];
    }
    quoted[length] = '\0';
    put(w, "\"%s\"", quoted);
}

/* Null is now and then in place of a number. */
bool is_null_drawn(struct writer *w) {
    return draw_next(&w->seed, 8) == 0;
}

/* Of which a comparison is unknown. */
unsigned write_null(struct writer *w) {
    put_word(w, "null");
    return expression_unknown(w->expression);
}

/* The opposite of a part, if it is one. */
unsigned turn(struct writer *w, bool negated, unsigned root) {
    return negated ? expression_join(w->expression, EXPRESSION_NOT, root, root)
                   : root;
}

/* Of what is between two bounds, either of which may be null. */
unsigned joined(struct writer *w, bool negated, unsigned a, unsigned b) {
    return turn(w, negated,
                expression_join(w->expression, EXPRESSION_AND, a, b));
}
