/*
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include "writer.h"

#include <ctype.h>

/* No node of its own: that an unknown is true is false. */
static unsigned constant(struct writer *w, bool truth) {
    const unsigned unknown = expression_unknown(w->expression);

    return turn(
        w, truth,
        expression_join(w->expression, EXPRESSION_IS_TRUE, unknown, unknown));
}

/* What is true of every item, or of none. */
static unsigned write_constant(struct writer *w) {
    static const char *const words[][2] = {
        {"false", "true"}, {"1 <> 1", "1=1.0"}, {"2 <= 1", "-1 < 0"}};
    const bool truth = draw_next(&w->seed, 2) != 0;
    const char *const word = words[draw_next(&w->seed, 3)][truth];

    if (isalpha((unsigned char)*word))
        put_word(w, word);
    else
        put(w, ends_word(w) ? " %s" : "%s", word);
    return constant(w, truth);
}

/* A number, maybe looked for among others, or null. */
static unsigned write_looked_for(struct writer *w) {
    const bool negated = draw_next(&w->seed, 2) != 0;
    const unsigned number = (unsigned)draw_next(&w->seed, 4);
    const unsigned one = 1 + (unsigned)draw_next(&w->seed, 3);
    bool has_null = number == 0, has_one = false;

    put(w, ends_word(w) ? " %u" : "%u", one);
    if (negated)
        put_word(w, "not");
    put_word(w, "in");
    put(w, "(");
    for (unsigned i = 0; i < number || i == 0; i++) {
        const unsigned other = 1 + (unsigned)draw_next(&w->seed, 3);

        if (i != 0)
            put(w, ",");
        if (number == 0 || is_null_drawn(w)) {
            put_word(w, "null");
            has_null = true;
        } else {
            put(w, "%u", other);
            has_one |= other == one;
        }
    }
    put(w, ")");
    if (!has_one && has_null)
        return expression_unknown(w->expression);
    return constant(w, has_one != negated);
}

/* A comparison with null, of which nothing is known. */
static unsigned write_unknown(struct writer *w) {
    const unsigned column = (unsigned)draw_next(&w->seed, WRITER_COLUMNS);
    const unsigned sign = (unsigned)draw_next(&w->seed, 6);

    switch (draw_next(&w->seed, 5)) {
    case 0:
        break;
    case 1:
        put_column(w, column);
        put_either(w, compare_words[sign], sql_words[sign]);
        break;
    case 2:
        put(w, ends_word(w) ? " %u" : "%u", sign);
        put_either(w, compare_words[sign], sql_words[sign]);
        break;
    case 3:
        put_word(w, "null");
        put_either(w, compare_words[sign], sql_words[sign]);
        put_column(w, column);
        return expression_unknown(w->expression);
    default:
        put_word(w, "null");
        put_word(w, "in");
        put(w, "(1,");
        put_word(w, "null");
        put(w, ")");
        return expression_unknown(w->expression);
    }
    return write_null(w);
}

static unsigned write_column_is_null(struct writer *w, unsigned column) {
    const bool negated = draw_next(&w->seed, 2) != 0;

    put_column(w, column);
    put_word(w, "is");
    if (negated)
        put_word(w, "not");
    put_word(w, draw_next(&w->seed, 2) ? "null" : "unknown");
    return turn(w, negated, expression_is_null(w->expression, column));
}

unsigned write_null_test(struct writer *w) {
    switch (draw_next(&w->seed, 4)) {
    case 0:
        return write_constant(w);
    case 1:
        return write_unknown(w);
    case 2:
        return write_looked_for(w);
    default:
        return write_column_is_null(
            w, (unsigned)draw_next(&w->seed, WRITER_COLUMNS));
    }
}
