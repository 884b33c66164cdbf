/*
 * winnow_condition_parse: random conditions, written as text in C's and SQL's
 * words, keep what an evaluator of their own keeps.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>
#include "reduced.h"
#include "suite.h"
#include "writer.h"

static unsigned write_test(struct writer *w) {
    const unsigned column = (unsigned)draw_next(&w->seed, WRITER_COLUMNS);

    if (draw_next(&w->seed, 4) == 0)
        return write_null_test(w);
    return column < WRITER_NUMBERS ? write_number_test(w, column)
           : column < WRITER_NUMBERS + MIXED_WIDES
               ? write_wide(w, column - WRITER_NUMBERS)
               : write_text(w, column - WRITER_NUMBERS - MIXED_WIDES);
}

/* How tightly what is around binds. */
enum level {
    LEVEL_OR = 1,
    LEVEL_AND = 2,
    LEVEL_NOT = 3,
    LEVEL_TEST = 4,
    LEVEL_IS = 4,
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

/* Whether a condition is true, is false, or is neither. */
static unsigned write_is(struct writer *w, unsigned tests) {
    static const char *const words[] = {"true", "false", "null", "unknown"};
    const unsigned word = (unsigned)draw_next(&w->seed, w->copies == 0 ? 2 : 4);
    const bool negated = draw_next(&w->seed, 2) != 0;
    struct expression *const e = w->expression;
    unsigned root, is_true, is_false;

    w->copies -= word > 1;
    if (tests == 1 && draw_next(&w->seed, 2)) {
        root = write_test(w);
    } else {
        put(w, "(");
        root = write_expression(w, LEVEL_OR, tests);
        put(w, ")");
    }
    put_word(w, "is");
    if (negated)
        put_word(w, "not");
    put_word(w, words[word]);
    if (word == 1)
        root = turn(w, true, root);
    is_true = expression_join(e, EXPRESSION_IS_TRUE, root, root);
    if (word < 2)
        return turn(w, negated, is_true);
    is_false = turn(w, true, root);
    is_false = expression_join(e, EXPRESSION_IS_TRUE, is_false, is_false);
    return turn(w, !negated,
                expression_join(e, EXPRESSION_OR, is_true, is_false));
}

static unsigned write_expression(struct writer *w, enum level around,
                                 unsigned tests) {
    const unsigned draw = (unsigned)draw_next(&w->seed, 10);
    const bool is = draw == 2;
    const enum level level = draw == 0    ? LEVEL_NOT
                             : draw == 1  ? LEVEL_BANG
                             : is         ? LEVEL_IS
                             : tests == 1 ? LEVEL_TEST
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
    } else if (is) {
        root = write_is(w, tests);
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
    winnow_field fields[WRITER_COLUMNS];
    struct backend backend;
    static struct mixed mixed;
    static struct writer w;
    static struct expression expression;

    backend_open_host(&backend);
    mixed.table = (struct table){.columns = WRITER_NUMBERS};
    for (unsigned c = 0; c < WRITER_NUMBERS; c++) {
        const winnow_type type =
            c < ELEMENT_TYPES ? element_type(c) : WINNOW_BIT;

        pool_random(&mixed.table.pools[c], type, 40 + c);
        mixed.table.layouts[c] =
            (struct layout){.nullable = c % 3 != 0, .valid_offset = 3 * c};
    }
    mixed_open(&mixed, &backend, ROWS, 41);
    for (unsigned c = 0; c < WRITER_COLUMNS; c++)
        fields[c] = (winnow_field){
            .name = writer_columns[c].name,
            .type = c < WRITER_NUMBERS ? mixed.table.pools[c].type
                    : c < WRITER_NUMBERS + MIXED_WIDES ? WINNOW_INT128
                                                       : WINNOW_STRING64};
    for (unsigned trial = 0; trial < trials; trial++) {
        winnow_condition *condition;
        struct report report = {{0}};

        mixed_clear(&mixed);
        expression.number = 0;
        w.seed = 4200 + trial;
        w.mixed = &mixed;
        w.pools = mixed.table.pools;
        w.expression = &expression;
        w.copies = 2;
        w.length = 0;
        write_expression(&w, LEVEL_OR, 1 + (unsigned)draw_next(&w.seed, 12));
        cr_assert_eq(
            winnow_condition_parse(&condition, fields, WRITER_COLUMNS, w.text),
            WINNOW_OK, "%s: %s", w.text, winnow_last_error());
        cr_assert(
            mixed_check(&mixed, &expression, condition, UINT64_MAX, &report),
            "%s: %s", w.text, report.text);
        winnow_condition_destroy(condition);
    }
    mixed_close(&mixed);
    backend_close(&backend);
}
