/*
 * Texts with arithmetic: what is parsed, folded and run keeps what formulas.c, which
 * folds nothing, says of each item. One process, linked with all of the library.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conditions.h"
#include "formulas.h"
#include "reduced.h"
#include "report.h"

#define MUST(what, ...)                                                        \
    do {                                                                       \
        if (!(what)) {                                                         \
            printf("FAIL: " __VA_ARGS__);                                      \
            printf("\n%s:%d: %s\n", __FILE__, __LINE__, #what);                \
            exit(1);                                                           \
        }                                                                      \
    } while (0)

enum {
    MOST_TEXT = 1 << 14,
    MOST_LITERALS = 4
};

struct text {
    const struct formula *formula;
    const struct formula_table *table;
    uint64_t seed;
    size_t length;
    char text[MOST_TEXT];
};

/* Too long a text is cut, and not tested. Two minus signs have a space between
 * them. */
static void put(struct text *to, const char *format, ...) {
    const size_t begin = to->length;
    va_list arguments;

    if (to->length >= MOST_TEXT)
        return;
    va_start(arguments, format);
    to->length += (size_t)vsnprintf(to->text + to->length,
                                    MOST_TEXT - to->length, format, arguments);
    va_end(arguments);
    if (begin > 0 && to->length + 1 < MOST_TEXT && to->text[begin - 1] == '-' &&
        to->text[begin] == '-') {
        memmove(to->text + begin + 1, to->text + begin, ++to->length - begin);
        to->text[begin] = ' ';
    }
}

/* ------------------------------------------------------------------ literals */

static bool is_float(winnow__value_type type) {
    return type == WINNOW__FLOAT32 || type == WINNOW__FLOAT64;
}

/* A number as a literal, which is a float if it is one. */
static void put_number(struct text *to, const struct formula_value *value) {
    char digits[40];

    if (!is_float(value->type)) {
        if (value->i >= 0 && draw_next(&to->seed, 4) == 0)
            put(to, "0x%" PRIx64, (uint64_t)value->i);
        else if (value->i < 0)
            put(to, "%" PRId64, (int64_t)value->i);
        else
            put(to, "%" PRIu64, (uint64_t)value->i);
    } else if (isnan(value->d)) {
        put(to, "(0.0 / 0)");
    } else if (isinf(value->d)) {
        put(to, value->d > 0 ? "(1.0 / 0)" : "(-1.0 / 0)");
    } else {
        snprintf(digits, sizeof digits,
                 value->type == WINNOW__FLOAT32 ? "%.9g" : "%.17g", value->d);
        put(to, "%s%s", digits, strpbrk(digits, ".e") == NULL ? ".0" : "");
    }
}

static bool is_negative(const struct formula_value *value) {
    return is_float(value->type)
               ? !isnan(value->d) && !isinf(value->d) && signbit(value->d)
               : value->i < 0;
}

/* ----------------------------------------------------------------- formulas */

enum level {
    LEVEL_SUM,
    LEVEL_PRODUCT,
    LEVEL_UNARY,
    LEVEL_VALUE
};

static void put_formula(struct text *to, unsigned node, enum level around);

static void put_column(struct text *to, unsigned column) {
    put(to, draw_next(&to->seed, 4) == 0 ? "\"c%u\"" : "c%u", column);
}

static void put_cast(struct text *to, unsigned node, winnow_type type) {
    const char *const name = type == WINNOW_FLOAT64 && draw_next(&to->seed, 2)
                                 ? "Double"
                             : type == WINNOW_INT64 && draw_next(&to->seed, 2)
                                 ? "bigint"
                                 : winnow_type_name(type);

    if (draw_next(&to->seed, 2)) {
        put(to, "cast(");
        put_formula(to, node, LEVEL_SUM);
        put(to, " as %s )", name);
    } else {
        put_formula(to, node, LEVEL_VALUE);
        put(to, "::%s", name);
    }
}

static void put_constant(struct text *to, const struct formula_node *node,
                         enum level around) {
    const bool wrapped =
        !node->weak || (around == LEVEL_VALUE && is_negative(&node->value));

    put(to, node->weak ? wrapped ? "(" : "" : "cast(");
    put_number(to, &node->value);
    if (!node->weak)
        put(to, " as %s)",
            node->type == WINNOW__INT64    ? "int64"
            : node->type == WINNOW__UINT64 ? "uint64"
                                           : "float64");
    else if (wrapped)
        put(to, ")");
}

static void put_binary(struct text *to, const struct formula_node *node,
                       enum level around) {
    static const char *const signs[] = {
        [WINNOW__ADD] = "+",           [WINNOW__SUBTRACT] = "-",
        [WINNOW__MULTIPLY] = "*",      [WINNOW__DIVIDE] = "/",
        [WINNOW__FLOOR_DIVIDE] = "//", [WINNOW__REMAINDER] = "%"};
    const enum level level =
        node->operation <= WINNOW__SUBTRACT ? LEVEL_SUM : LEVEL_PRODUCT;
    const bool wrapped = level < around || draw_next(&to->seed, 8) == 0;

    put(to, wrapped ? "(" : "");
    put_formula(to, node->a, level);
    put(to, draw_next(&to->seed, 3) ? " %s " : "%s", signs[node->operation]);
    put_formula(to, node->b, level + 1);
    put(to, wrapped ? ")" : "");
}

static void put_unary(struct text *to, const struct formula_node *node,
                      enum level around) {
    static const char *const names[] = {[WINNOW__ABS] = "abs",
                                        [WINNOW__FLOOR] = "FLOOR",
                                        [WINNOW__CEIL] = "ceil",
                                        [WINNOW__ROUND] = "round",
                                        [WINNOW__SQRT] = "sqrt "};

    if (node->operation == WINNOW__NEGATE) {
        put(to, around > LEVEL_UNARY ? "(-" : "-");
        put_formula(to, node->a, LEVEL_UNARY);
        put(to, around > LEVEL_UNARY ? ")" : "");
    } else {
        put(to, "%s(", names[node->operation]);
        put_formula(to, node->a, LEVEL_SUM);
        put(to, ")");
    }
}

static void put_formula(struct text *to, unsigned i, enum level around) {
    const struct formula_node *const node = &to->formula->node[i];

    if (to->length >= MOST_TEXT)
        return;
    switch (node->kind) {
    case FORMULA_COLUMN:
        put_column(to, node->column);
        if (to->table->column[node->column].precision != 0)
            put(to, "::float64"); /* test_decimals.c has decimals */
        break;
    case FORMULA_LENGTH:
        put(to, "length(");
        put_column(to, node->column);
        put(to, ")");
        break;
    case FORMULA_CONSTANT:
        put_constant(to, node, around);
        break;
    case FORMULA_NULL:
        put(to, "null");
        break;
    case FORMULA_UNARY:
        put_unary(to, node, around);
        break;
    case FORMULA_CAST:
        put_cast(to, node->a, (winnow_type)node->operation);
        break;
    default:
        if (node->operation <= WINNOW__REMAINDER) {
            put_binary(to, node, around);
            break;
        }
        put(to, node->operation == WINNOW__MIN ? "min(" : "max(");
        put_formula(to, node->a, LEVEL_SUM);
        put(to, ", ");
        put_formula(to, node->b, LEVEL_SUM);
        put(to, ")");
    }
}

/* ---------------------------------------------------------------- conditions */

/* + - and * of literals are exact in a text: test_parse_exact.c has those. */
static bool is_exact(const struct formula *formula,
                     const struct formula_node *node) {
    const struct formula_node *const a = &formula->node[node->a];
    const struct formula_node *const b = &formula->node[node->b];

    return node->kind == FORMULA_BINARY &&
           node->operation <= WINNOW__MULTIPLY && a->weak && b->weak &&
           !a->value.null && !b->value.null;
}

/* A text can have what the root is made of. */
static bool can_be_written(const struct formula *formula) {
    for (unsigned i = 0; i < formula->number; i++) {
        const struct formula_node *const node = &formula->node[i];
        const bool is_root = i + 1 == formula->number;
        if (node->kind >= FORMULA_PART || is_exact(formula, node) ||
            (node->kind == FORMULA_COMPARE && !is_root))
            return false;
    }
    return true;
}

static bool knows_null(const struct formula *formula) {
    for (unsigned i = 0; i < formula->number; i++)
        if (formula->node[i].constant && formula->node[i].value.null)
            return true;
    return false;
}

static bool is_decimal(const struct formula *formula,
                       const struct formula_table *table, unsigned i) {
    return formula->node[i].kind == FORMULA_COLUMN &&
           table->column[formula->node[i].column].precision != 0;
}

/* What is asked of the value of a formula, which is no condition itself. */
enum question {
    COMPARED,
    MIRRORED,
    IS_NULL,
    IS_NAN,
    IN_LIST,
    BETWEEN,
    MASKED,
    QUESTIONS
};

struct asked {
    enum question question;
    winnow_compare compare;
    bool negated;
    unsigned number;
    struct formula_value literal[MOST_LITERALS];
    uint64_t mask;
};

static const char *const compares[] = {
    [WINNOW_LT] = "<",  [WINNOW_LE] = "<=", [WINNOW_EQ] = "=",
    [WINNOW_NE] = "<>", [WINNOW_GE] = ">=", [WINNOW_GT] = ">"};

/* < -1, = 0, > 1; NaN: 2 */
static int order(const struct formula_value *a, const struct formula_value *b) {
    if (!is_float(a->type))
        return (a->i > b->i) - (a->i < b->i);
    return isnan(a->d) || isnan(b->d) ? 2 : (a->d > b->d) - (a->d < b->d);
}

static bool holds(winnow_compare compare, int order) {
    switch (compare) {
    case WINNOW_LT:
        return order == -1;
    case WINNOW_LE:
        return order == -1 || order == 0;
    case WINNOW_EQ:
        return order == 0;
    case WINNOW_NE:
        return order != 0;
    case WINNOW_GE:
        return order == 1 || order == 0;
    default:
        return order == 1;
    }
}

/* Is the answer true? */
static bool answer(const struct asked *asked,
                   const struct formula_value *value) {
    struct formula_value bits = *value;
    bool is_true = false;

    if (asked->question == IS_NULL)
        return value->null != asked->negated;
    if (asked->question == IN_LIST && asked->number == 0)
        return asked->negated;
    if (value->null)
        return false;
    switch (asked->question) {
    case COMPARED:
        is_true = holds(asked->compare, order(value, &asked->literal[0]));
        break;
    case MIRRORED:
        is_true = holds(asked->compare, order(&asked->literal[0], value));
        break;
    case IS_NAN:
        is_true = isnan(value->d);
        break;
    case BETWEEN:
        is_true = holds(WINNOW_GE, order(value, &asked->literal[0])) &&
                  holds(WINNOW_LE, order(value, &asked->literal[1]));
        break;
    case MASKED:
        bits.i = (formula_integer)((uint64_t)value->i & asked->mask);
        is_true = bits.i == asked->literal[0].i;
        break;
    default:
        for (unsigned i = 0; i < asked->number; i++)
            is_true |= order(value, &asked->literal[i]) == 0;
    }
    return is_true != asked->negated;
}

/* A value of an item, if it can be written, else 0. */
static struct formula_value draw_literal(struct text *to,
                                         winnow__value_type type) {
    struct formula_value value =
        formula_of(to->formula, to->table, draw_next(&to->seed, to->table->n));

    if (value.null || (is_float(type) && !isfinite(value.d)))
        value = (struct formula_value){.type = type};
    return value;
}

static void put_question(struct text *to, struct asked *asked) {
    const struct formula_node *const root =
        &to->formula->node[to->formula->number - 1];
    const winnow__value_type type = root->type;
    const bool only_some = knows_null(to->formula);

    asked->compare = (winnow_compare)draw_next(&to->seed, 6);
    asked->negated = draw_next(&to->seed, 2) != 0;
    asked->number = (unsigned)draw_next(&to->seed, MOST_LITERALS + 1);
    /* What may be a column of 8 bits has a mask of as many. */
    asked->mask = draw_next(
        &to->seed, root->kind == FORMULA_BINARY ? UINT64_C(1) << 20 : 128);
    do
        asked->question = (enum question)draw_next(
            &to->seed, only_some ? IS_NULL + 1 : QUESTIONS);
    while ((asked->question == IS_NAN && !is_float(type)) ||
           (asked->question == MASKED && is_float(type)));
    for (unsigned i = 0; i < MOST_LITERALS; i++)
        asked->literal[i] = draw_literal(to, type);
    if (asked->question == MASKED)
        asked->literal[0].i =
            (formula_integer)((uint64_t)asked->literal[0].i & asked->mask);
    if (asked->negated)
        put(to, "not (");
    if (asked->question == MIRRORED) {
        put_number(to, &asked->literal[0]);
        put(to, " %s ", compares[asked->compare]);
    }
    put(to, asked->question == IS_NAN   ? "isnan("
            : asked->question == MASKED ? "(("
                                        : "");
    put_formula(to, to->formula->number - 1, LEVEL_SUM);
    switch (asked->question) {
    case COMPARED:
        put(to, " %s ", compares[asked->compare]);
        put_number(to, &asked->literal[0]);
        break;
    case IS_NULL:
        put(to, " is null");
        break;
    case IS_NAN:
        put(to, ")");
        break;
    case IN_LIST:
        put(to, " in (");
        for (unsigned i = 0; i < asked->number; i++) {
            put(to, i == 0 ? "" : ", ");
            put_number(to, &asked->literal[i]);
        }
        put(to, ")");
        break;
    case BETWEEN:
        put(to, " between ");
        put_number(to, &asked->literal[0]);
        put(to, " and ");
        put_number(to, &asked->literal[1]);
        break;
    case MASKED:
        put(to, ") & %" PRIu64 ") = ", asked->mask);
        put_number(to, &asked->literal[0]);
        break;
    default:
        break;
    }
    put(to, asked->negated ? ")" : "");
}

/* ------------------------------------------------------------------- trials */

/* The limits of programs, and of literals. */
static bool is_limit(const char *detail) {
    return strstr(detail, "an expression has more") != NULL ||
           strstr(detail, "has more than 64 bits") != NULL;
}

static bool keeps(const struct formula *formula,
                  const struct formula_table *table, const struct asked *asked,
                  uint64_t item) {
    const struct formula_value value = formula_of(formula, table, item);

    return value.type == WINNOW__BOOL ? !value.null && value.i != 0
                                      : answer(asked, &value);
}

static unsigned long tested, refused;

static void check(winnow_context *context, const winnow_field *fields,
                  const winnow_in *in, const struct text *text,
                  const struct asked *asked, uint64_t seed) {
    const uint64_t n = text->table->n;
    winnow_condition *condition;
    size_t bytes;
    uint32_t *selection;

    if (winnow_condition_parse(&condition, fields, text->table->columns,
                               text->text) != WINNOW_OK) {
        MUST(is_limit(winnow_last_error()), "seed %" PRIu64 ": %s: %s", seed,
             text->text, winnow_last_error());
        refused++;
        return;
    }
    MUST(winnow_selection_bytes(n, &bytes) == WINNOW_OK, "no size");
    selection = must_alloc(bytes);
    MUST(winnow_select_where(context, condition, in, text->table->columns, n,
                             selection, bytes, NULL) == WINNOW_OK,
         "seed %" PRIu64 ": %s: %s", seed, text->text, winnow_last_error());
    for (uint64_t i = 0; i < n; i++)
        MUST((selection[i / 32] >> i % 32 & 1) ==
                 keeps(text->formula, text->table, asked, i),
             "seed %" PRIu64 ", item %" PRIu64 ": %s", seed, i, text->text);
    free(selection);
    winnow_condition_destroy(condition);
    tested++;
}

/* Bits are conditions, decimals compare exactly, and so do constants with
 * floats of 16 bits: other tests have those. */
static bool is_comparable(const struct formula *formula,
                          const struct formula_table *table) {
    const unsigned root = formula->number - 1;
    const struct formula_node *const node = &formula->node[root];

    if (node->kind != FORMULA_COMPARE)
        return node->type != WINNOW__BOOL && !node->constant &&
               !is_decimal(formula, table, root);
    if (formula->node[node->a].constant || formula->node[node->b].constant)
        return false;
    if (formula->node[node->a].type == WINNOW__BOOL)
        return node->operation == WINNOW_EQ || node->operation == WINNOW_NE;
    return !is_decimal(formula, table, node->a) &&
           !is_decimal(formula, table, node->b);
}

static void check_formula(winnow_context *context, const winnow_field *fields,
                          const winnow_in *in,
                          const struct formula_table *table, uint64_t seed) {
    static struct formula formula;
    static struct text text;
    struct asked asked = {.question = COMPARED};
    const struct formula_node *root;

    text = (struct text){.formula = &formula, .table = table, .seed = seed};
    do
        formula_random(&formula, table, 1 + (unsigned)draw_next(&text.seed, 14),
                       draw_next(&text.seed, UINT64_MAX));
    while (!can_be_written(&formula) || !is_comparable(&formula, table));
    root = &formula.node[formula.number - 1];
    if (root->kind == FORMULA_COMPARE) {
        put_formula(&text, root->a, LEVEL_SUM);
        put(&text, " %s ", compares[root->operation]);
        put_formula(&text, root->b, LEVEL_SUM);
    } else {
        put_question(&text, &asked);
    }
    if (text.length < MOST_TEXT)
        check(context, fields, in, &text, &asked, seed);
}

static void check_table(winnow_context *context, uint64_t seed) {
    static char names[FORMULA_COLUMNS][8], formats[FORMULA_COLUMNS][24];
    winnow_field fields[FORMULA_COLUMNS];
    winnow_in in[FORMULA_COLUMNS];
    struct formula_table table;
    uint64_t state = seed;
    const uint64_t n =
        draw_next(&state, 16) == 0 ? 2200 : 1 + draw_next(&state, 70);

    formula_table_open(&table, n, draw_next(&state, UINT64_MAX));
    for (unsigned c = 0; c < table.columns; c++) {
        const struct formula_column *const column = &table.column[c];
        sprintf(names[c], "c%u", c);
        fields[c] = (winnow_field){.name = names[c], .type = column->type};
        in[c] = column->in;
        if (column->precision == 0)
            continue;
        sprintf(formats[c], "d:%d,%d,%u", column->precision, column->scale,
                8 * (unsigned)winnow_type_size(column->type));
        fields[c].format = formats[c];
    }
    for (unsigned f = 0; f < (n > 100 ? 8 : 60); f++)
        check_formula(context, fields, in, &table,
                      draw_next(&state, UINT64_MAX));
    formula_table_close(&table);
}

int main(int argc, char **argv) {
    const unsigned tables = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 0)
                            : reduced_mode() ? 24
                                             : 160;
    uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 0) : 1;
    winnow_context *context;

    MUST(winnow_context_create(&context, WINNOW_DEVICE_HOST) == WINNOW_OK, "%s",
         winnow_last_error());
    for (unsigned t = 0; t < tables; t++)
        check_table(context, draw_next(&seed, UINT64_MAX));
    winnow_context_destroy(context);
    MUST(tested > 30 * refused && tested > 10 * tables,
         "%lu texts tested, %lu refused", tested, refused);
    return 0;
}
