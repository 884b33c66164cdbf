/*
 * winnow_condition_parse: random conditions, written as text in C's and SQL's
 * words, keep what an evaluator of their own keeps.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "element.h"
#include "reduced.h"
#include "suite.h"
#include "table.h"

/* A column of each type, and one of bits. Names that are not plain stand in
 * quotes. */
#define COLUMNS (ELEMENT_TYPES + 1)
static const struct {
    const char *name;
    bool plain;
} columns[COLUMNS] = {
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
};

struct writer {
    uint64_t seed;
    const struct pool *pools;
    struct expression *expression;
    unsigned tests; /* that are left */
    size_t length;
    char text[1 << 14];
};

static void put(struct writer *w, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static bool ends_word(const struct writer *w) {
    const char last = w->length == 0 ? ' ' : w->text[w->length - 1];

    return isalnum((unsigned char)last) || last == '_' || last == '.' ||
           (unsigned char)last >= 0x80;
}

/* A word, and maybe some space. */
static void put(struct writer *w, const char *format, ...) {
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
static void put_word(struct writer *w, const char *word) {
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
static void put_either(struct writer *w, const char *c, const char *sql) {
    if (draw_next(&w->seed, 2))
        put(w, "%s", c);
    else if (isalpha((unsigned char)*sql))
        put_word(w, sql);
    else
        put(w, "%s", sql);
}

static void put_column(struct writer *w, unsigned column) {
    const char *const name = columns[column].name;
    char quoted[64];
    size_t length = 0;

    if (columns[column].plain && draw_next(&w->seed, 2)) {
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

static void put_number(struct writer *w, winnow_type type, uint64_t bits) {
    const char *const space = ends_word(w) ? " " : "";
    const int64_t number = element_to_signed(type, bits);
    const uint64_t magnitude =
        number < 0 && element_is_signed(type) ? 0 - (uint64_t)number : bits;

    put(w, "%s", space);
    if (element_is_float(type)) {
        const double value = element_to_double(type, bits);

        if (signbit(value))
            put(w, "-");
        if (draw_next(&w->seed, 2))
            put(w, "%.17g", fabs(value));
        else
            put(w, "%.20e", fabs(value));
        return;
    }
    if (number < 0 && element_is_signed(type))
        put(w, "-");
    switch (draw_next(&w->seed, 3)) {
    case 0:
        put(w, "%" PRIu64, magnitude);
        break;
    case 1:
        put(w, "0x%" PRIx64, magnitude);
        break;
    default:
        put(w, "0%" PRIo64, magnitude);
        break;
    }
}

static bool is_finite(winnow_type type, uint64_t bits) {
    return !element_is_float(type) ||
           (bits & element_infinity(type)) != element_infinity(type);
}

/* An element that a text can name. */
static uint64_t draw_finite(struct writer *w, const struct pool *pool) {
    const uint64_t bits = pool->bits[draw_next(&w->seed, CONDITION_POOL)];

    return is_finite(pool->type, bits) ? bits : element_middle(pool->type);
}

static const char *const compare_words[] = {"<", "<=", "==", "!=", ">=", ">"};
static const char *const mirrored_words[] = {">", ">=", "==", "!=", "<=", "<"};
static const char *const sql_words[] = {"<", "<=", "=", "<>", ">=", ">"};

static unsigned write_comparison(struct writer *w, unsigned column) {
    const winnow_type type = w->pools[column].type;
    const struct rule rule = {.type = type,
                              .kind = RULE_COMPARE,
                              .compare = (winnow_compare)draw_next(&w->seed, 6),
                              .low = draw_finite(w, &w->pools[column])};

    if (draw_next(&w->seed, 2)) {
        put_column(w, column);
        put_either(w, compare_words[rule.compare], sql_words[rule.compare]);
        put_number(w, type, rule.low);
    } else {
        put_number(w, type, rule.low);
        put(w, "%s", mirrored_words[rule.compare]);
        put_column(w, column);
    }
    return expression_test(w->expression, column, &rule);
}

/* low < x <= high, or the other way round. */
static unsigned write_range(struct writer *w, unsigned column) {
    const winnow_type type = w->pools[column].type;
    const bool falling = draw_next(&w->seed, 2) != 0;
    struct rule first = {.type = type,
                         .compare =
                             draw_next(&w->seed, 2) ? WINNOW_GT : WINNOW_GE,
                         .low = draw_finite(w, &w->pools[column])};
    struct rule second = {.type = type,
                          .compare =
                              draw_next(&w->seed, 2) ? WINNOW_LT : WINNOW_LE,
                          .low = draw_finite(w, &w->pools[column])};
    unsigned a, b;

    if (falling) {
        const struct rule swap = first;

        first = second;
        second = swap;
    }
    put_number(w, type, first.low);
    put(w, "%s", mirrored_words[first.compare]);
    put_column(w, column);
    put(w, "%s", compare_words[second.compare]);
    put_number(w, type, second.low);
    a = expression_test(w->expression, column, &first);
    b = expression_test(w->expression, column, &second);
    return expression_join(w->expression, EXPRESSION_AND, a, b);
}

/* The opposite of a part, if it is one. */
static unsigned turn(struct writer *w, bool negated, unsigned root) {
    return negated ? expression_join(w->expression, EXPRESSION_NOT, root, root)
                   : root;
}

static unsigned write_between(struct writer *w, unsigned column) {
    const winnow_type type = w->pools[column].type;
    const bool negated = draw_next(&w->seed, 2) != 0;
    const struct rule rule = {.type = type,
                              .kind = RULE_RANGE,
                              .low = draw_finite(w, &w->pools[column]),
                              .high = draw_finite(w, &w->pools[column])};

    put_column(w, column);
    if (negated)
        put_word(w, "not");
    put_word(w, "between");
    put_number(w, type, rule.low);
    put_word(w, "and");
    put_number(w, type, rule.high);
    return turn(w, negated, expression_test(w->expression, column, &rule));
}

static unsigned write_list(struct writer *w, unsigned column) {
    const winnow_type type = w->pools[column].type;
    const unsigned number = 1 + (unsigned)draw_next(&w->seed, 4);
    const bool negated = draw_next(&w->seed, 2) != 0;
    unsigned root = 0;

    put_column(w, column);
    if (negated)
        put_word(w, "not");
    put_word(w, "in");
    put(w, "(");
    for (unsigned i = 0; i < number; i++) {
        const struct rule rule = {.type = type,
                                  .compare = WINNOW_EQ,
                                  .low = draw_finite(w, &w->pools[column])};
        unsigned leaf;

        if (i != 0)
            put(w, ",");
        put_number(w, type, rule.low);
        leaf = expression_test(w->expression, column, &rule);
        root = i == 0
                   ? leaf
                   : expression_join(w->expression, EXPRESSION_OR, root, leaf);
    }
    put(w, draw_next(&w->seed, 4) ? ")" : ",)");
    return turn(w, negated, root);
}

/* Of integers: bits under a mask. Of floats: NaN, and finite or not. */
static unsigned write_special(struct writer *w, unsigned column) {
    const winnow_type type = w->pools[column].type;
    const unsigned way = (unsigned)draw_next(&w->seed, 3);
    struct rule rule = {.type = type, .kind = RULE_BITS};
    unsigned leaf;

    if (element_is_float(type)) {
        const bool finite = way == 0;

        put_word(w, finite ? "isfinite" : "isnan");
        put(w, "(");
        put_column(w, column);
        put(w, ")");
        rule.kind = RULE_RANGE;
        rule.high = element_infinity(type) - finite;
        rule.low = rule.high | element_top_bit(type);
        leaf = expression_test(w->expression, column, &rule);
        return finite
                   ? leaf
                   : expression_join(w->expression, EXPRESSION_NOT, leaf, leaf);
    }
    rule.mask = w->pools[column].bits[draw_next(&w->seed, CONDITION_POOL)];
    if (way != 0)
        rule.value = rule.mask &
                     w->pools[column].bits[draw_next(&w->seed, CONDITION_POOL)];
    put(w, "(");
    if (draw_next(&w->seed, 2)) {
        put_column(w, column);
        put(w, "&");
        put(w, "0x%" PRIx64, rule.mask);
    } else {
        put(w, "%" PRIu64, rule.mask);
        put(w, "&");
        put_column(w, column);
    }
    put(w, ")");
    leaf = expression_test(w->expression, column, &rule);
    if (way == 1) {
        put_either(w, "==", "=");
        put(w, "%" PRIu64, rule.value);
        return leaf;
    }
    /* By itself it stands for: not 0. */
    if (way == 2) {
        put_either(w, "!=", "<>");
        put(w, "%" PRIu64, rule.value);
    }
    return expression_join(w->expression, EXPRESSION_NOT, leaf, leaf);
}

/* A column by itself: it is not 0. */
static unsigned write_column(struct writer *w, unsigned column) {
    const struct rule rule = {.type = w->pools[column].type,
                              .compare = WINNOW_NE};

    put_column(w, column);
    return expression_test(w->expression, column, &rule);
}

/* A column of bits, by itself or compared with true or false. */
static unsigned write_bit(struct writer *w, unsigned column) {
    const unsigned leaf = expression_bit(w->expression, column);
    const bool truth = draw_next(&w->seed, 2) != 0;
    const bool unequal = draw_next(&w->seed, 2) != 0;
    const char *const word = truth ? "true" : "false";

    switch (draw_next(&w->seed, 3)) {
    case 0:
        put_column(w, column);
        return leaf;
    case 1:
        put_column(w, column);
        put_either(w, unequal ? "!=" : "==", unequal ? "<>" : "=");
        put_word(w, word);
        break;
    default:
        put_word(w, word);
        put_either(w, unequal ? "!=" : "==", unequal ? "<>" : "=");
        put_column(w, column);
    }
    return turn(w, truth == unequal, leaf);
}

/* What is true of every item, or of none. */
static unsigned write_constant(struct writer *w) {
    static const char *const words[][2] = {
        {"false", "true"}, {"1 <> 1", "1=1.0"}, {"2 <= 1", "-1 < 0"}};
    const bool truth = draw_next(&w->seed, 2) != 0;
    const char *const word = words[draw_next(&w->seed, 3)][truth];
    const struct rule rule = {.type = w->pools[0].type, .kind = RULE_BITS};

    if (isalpha((unsigned char)*word))
        put_word(w, word);
    else
        put(w, ends_word(w) ? " %s" : "%s", word);
    return turn(w, !truth, expression_test(w->expression, 0, &rule));
}

static unsigned write_test(struct writer *w) {
    const unsigned column = (unsigned)draw_next(&w->seed, COLUMNS);

    if (w->pools[column].type == WINNOW_BIT)
        return write_bit(w, column);
    switch (draw_next(&w->seed, 10)) {
    case 0:
        return write_range(w, column);
    case 1:
        return write_list(w, column);
    case 2:
        return write_special(w, column);
    case 3:
        return write_column(w, column);
    case 4:
        return write_between(w, column);
    case 5:
        return write_constant(w);
    default:
        return write_comparison(w, column);
    }
}

/* How tightly what is around binds. */
enum level {
    LEVEL_OR = 1,
    LEVEL_AND = 2,
    LEVEL_NOT = 3,
    LEVEL_BANG = 5
};

static unsigned write_expression(struct writer *w, enum level around,
                                 unsigned tests);

static unsigned write_join(struct writer *w, enum level level, unsigned tests) {
    const unsigned left = 1 + (unsigned)draw_next(&w->seed, tests - 1);
    const unsigned a = write_expression(w, level, left);
    unsigned b;

    if (level == LEVEL_OR)
        put_either(w, "||", "or");
    else
        put_either(w, "&&", "and");
    b = write_expression(w, level, tests - left);
    return expression_join(w->expression,
                           level == LEVEL_OR ? EXPRESSION_OR : EXPRESSION_AND,
                           a, b);
}

static unsigned write_expression(struct writer *w, enum level around,
                                 unsigned tests) {
    const unsigned draw = (unsigned)draw_next(&w->seed, 8);
    const enum level level = draw == 0    ? LEVEL_NOT
                             : draw == 1  ? LEVEL_BANG
                             : tests == 1 ? (enum level)4
                             : draw % 2   ? LEVEL_OR
                                          : LEVEL_AND;
    const bool wrapped = level < around || draw_next(&w->seed, 6) == 0 ||
                         (around == LEVEL_BANG && level != LEVEL_BANG);
    unsigned root;

    if (wrapped)
        put(w, "(");
    if (level == LEVEL_NOT) {
        put_word(w, "not");
        root = turn(w, true, write_expression(w, LEVEL_NOT, tests));
    } else if (level == LEVEL_BANG) {
        put(w, "!");
        root = turn(w, true, write_expression(w, LEVEL_BANG, tests));
    } else if (tests == 1) {
        root = write_test(w);
    } else {
        root = write_join(w, level, tests);
    }
    if (wrapped)
        put(w, ")");
    return root;
}

/* An expression, as text and for the oracle, is the same for random rows. */
Test(parse_random, expressions) {
    enum {
        ROWS = 200
    };
    const unsigned trials = reduced_mode() ? 500 : 20000;
    winnow_field fields[COLUMNS];
    struct backend backend;
    struct table table = {.columns = COLUMNS};
    static struct writer w;
    static struct expression expression;

    backend_open_host(&backend);
    for (unsigned c = 0; c < COLUMNS; c++) {
        const winnow_type type =
            c < ELEMENT_TYPES ? element_type(c) : WINNOW_BIT;

        fields[c] = (winnow_field){.name = columns[c].name, .type = type};
        pool_random(&table.pools[c], type, 40 + c);
    }
    table_open(&table, &backend, ROWS);
    table_fill(&table, ROWS, 1, 41);
    for (unsigned trial = 0; trial < trials; trial++) {
        winnow_condition *condition;
        struct report report = {{0}};

        expression.number = 0;
        w.seed = 4200 + trial;
        w.pools = table.pools;
        w.expression = &expression;
        w.length = 0;
        write_expression(&w, LEVEL_OR, 1 + (unsigned)draw_next(&w.seed, 12));
        cr_assert_eq(
            winnow_condition_parse(&condition, fields, COLUMNS, w.text),
            WINNOW_OK, "%s: %s", w.text, winnow_last_error());
        cr_assert_eq(table_select(&table, condition, ROWS, UINT64_MAX),
                     WINNOW_OK);
        cr_assert(table_check(&table, &expression, ROWS, UINT64_MAX, &report),
                  "%s: %s", w.text, report.text);
        winnow_condition_destroy(condition);
    }
    table_close(&table);
    backend_close(&backend);
}
