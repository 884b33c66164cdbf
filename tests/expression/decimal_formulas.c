/*
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include "decimal_formulas.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conditions.h"
#include "suite.h"

enum {
    MOST_DIGITS = 38,
    MOST_TEXT = 2000
};

/* ----------------------------------------------------------------- on paper */

static unsigned digits_in(const struct decimal *a) {
    unsigned used = DECIMAL_DIGITS;

    while (used > 0 && a->digit[used - 1] == 0)
        used--;
    return used;
}

/* Of digits that are at most 19 each. */
static void carry_all(unsigned digit[DECIMAL_DIGITS], struct decimal *to) {
    unsigned carry = 0;

    for (unsigned i = 0; i < DECIMAL_DIGITS; i++) {
        carry += digit[i];
        to->digit[i] = (unsigned char)(carry % 10);
        carry /= 10;
    }
}

static struct decimal magnitude_sum(const struct decimal *a,
                                    const struct decimal *b) {
    struct decimal made = *a;
    unsigned digit[DECIMAL_DIGITS];

    for (unsigned i = 0; i < DECIMAL_DIGITS; i++)
        digit[i] = (unsigned)a->digit[i] + b->digit[i];
    carry_all(digit, &made);
    return made;
}

/* a is no less, without the signs. */
static struct decimal magnitude_difference(const struct decimal *a,
                                           const struct decimal *b) {
    struct decimal made = *a;
    int borrow = 0;

    for (unsigned i = 0; i < DECIMAL_DIGITS; i++) {
        const int digit = a->digit[i] - b->digit[i] - borrow;
        borrow = digit < 0;
        made.digit[i] = (unsigned char)(digit + (borrow ? 10 : 0));
    }
    return made;
}

/* Of one scale. */
static struct decimal sum(const struct decimal *a, struct decimal b) {
    struct decimal x = *a, y = b;

    if (a->negative == b.negative)
        return magnitude_sum(a, &b);
    x.negative = y.negative = false;
    return decimal_order(&x, &y) >= 0 ? magnitude_difference(a, &b)
                                      : magnitude_difference(&b, a);
}

static struct decimal product(const struct decimal *a,
                              const struct decimal *b) {
    const unsigned used_a = digits_in(a), used_b = digits_in(b);
    struct decimal made = {.negative = a->negative != b->negative,
                           .scale = a->scale + b->scale};
    unsigned digit[DECIMAL_DIGITS] = {0};

    for (unsigned i = 0; i < used_a; i++)
        for (unsigned j = 0; j < used_b; j++)
            digit[i + j] += (unsigned)a->digit[i] * b->digit[j];
    carry_all(digit, &made);
    return made;
}

/* a less b, as often as it goes: of integers. */
static struct decimal remainder_of(const struct decimal *a,
                                   const struct decimal *b) {
    const unsigned used_a = digits_in(a), used_b = digits_in(b);
    struct decimal rest = *a, by = *b;

    rest.negative = by.negative = false;
    for (unsigned shift = used_a >= used_b ? used_a - used_b + 1 : 0;
         shift-- > 0;) {
        struct decimal shifted = decimal_at_scale(&by, by.scale + (int)shift);
        shifted.scale = rest.scale;
        while (decimal_order(&rest, &shifted) >= 0)
            rest = magnitude_difference(&rest, &shifted);
    }
    rest.negative = a->negative;
    return rest;
}

/* Without its last digits. */
static struct decimal shortened(const struct decimal *a, unsigned digits,
                                enum decimal_operation how) {
    struct decimal made = *a, one = decimal_of(1, a->scale - (int)digits);
    const unsigned first = digits > 0 ? a->digit[digits - 1] : 0;
    bool any = false, behind = false, up = false;

    for (unsigned i = 0; i < digits; i++)
        any |= a->digit[i] != 0;
    for (unsigned i = 0; i + 1 < digits; i++)
        behind |= a->digit[i] != 0;
    memset(made.digit, 0, sizeof made.digit);
    memcpy(made.digit, a->digit + digits, DECIMAL_DIGITS - digits);
    made.scale -= (int)digits;
    if (how == DECIMAL_FLOOR)
        up = any && a->negative;
    else if (how == DECIMAL_CEIL)
        up = any && !a->negative;
    else if (how == DECIMAL_ROUND)
        up = first > 5 || (first == 5 && (behind || made.digit[0] % 2 != 0));
    else
        up = first >= 5;
    one.negative = made.negative;
    return up ? magnitude_sum(&made, &one) : made;
}

/* ----------------------------------------------------------------- formulas */

static int most(int a, int b) {
    return a > b ? a : b;
}

static struct decimal operate(const struct decimal_node *node,
                              const struct decimal *a,
                              const struct decimal *b) {
    const int scale = b == NULL ? a->scale : most(a->scale, b->scale);
    const struct decimal x = decimal_at_scale(a, scale);
    struct decimal y = b == NULL ? x : decimal_at_scale(b, scale), made = x;

    switch (node->operation) {
    case DECIMAL_SUBTRACT:
        y.negative = !y.negative; /* fallthrough */
    case DECIMAL_ADD:
        return sum(&x, y);
    case DECIMAL_MULTIPLY:
        return product(a, b);
    case DECIMAL_REMAINDER:
        if (digits_in(&y) == 0) {
            made.null = true;
            return made;
        }
        return remainder_of(&x, &y);
    case DECIMAL_MIN:
        return decimal_order(&y, &x) < 0 ? y : x;
    case DECIMAL_MAX:
        return decimal_order(&y, &x) > 0 ? y : x;
    case DECIMAL_NEGATE:
        made.negative = !made.negative;
        return made;
    case DECIMAL_ABS:
        made.negative = false;
        return made;
    default:
        return a->scale > node->scale
                   ? shortened(a, (unsigned)(a->scale - node->scale),
                               node->operation)
                   : decimal_at_scale(a, node->scale);
    }
}

struct decimal decimal_value(const struct decimal_formula *formula,
                             unsigned number, uint64_t item) {
    const struct decimal_node *const node = &formula->node[number];
    struct decimal a, b = {.null = false}, made;

    if (node->operation == DECIMAL_COLUMN)
        return formula->table->column[node->a].values[item];
    if (node->operation == DECIMAL_LITERAL)
        return node->literal;
    a = decimal_value(formula, node->a, item);
    if (node->is_binary)
        b = decimal_value(formula, node->b, item);
    if (a.null || b.null) {
        a.null = true;
        return a;
    }
    made = operate(node, &a, node->is_binary ? &b : NULL);
    made.null |= digits_in(&made) > (unsigned)node->precision;
    return made;
}

/* The digits of a result, and whether it is refused. */
static void find_type(struct decimal_formula *formula,
                      struct decimal_node *node) {
    const struct decimal_node *const a = &formula->node[node->a];
    const struct decimal_node *const b =
        node->is_binary ? &formula->node[node->b] : a;
    const int whole = most(a->precision - a->scale, b->precision - b->scale);

    if (node->operation == DECIMAL_CAST)
        return;
    node->scale = most(a->scale, b->scale);
    node->precision = whole + node->scale;
    if (node->operation == DECIMAL_MULTIPLY) {
        node->scale = a->scale + b->scale;
        node->precision = a->precision + b->precision;
    } else if (node->operation <= DECIMAL_SUBTRACT) {
        node->precision++;
    } else if (node->operation >= DECIMAL_FLOOR) {
        node->precision = a->scale <= 0             ? a->precision - a->scale
                          : a->precision > a->scale ? whole + 1
                                                    : 1;
        node->scale = 0;
    }
    formula->is_refused |=
        node->scale > MOST_DIGITS ||
        (node->operation == DECIMAL_REMAINDER && node->precision > 18);
    if (node->precision > MOST_DIGITS)
        node->precision = MOST_DIGITS;
}

static void draw_leaf(struct decimal_formula *formula,
                      struct decimal_node *node, bool decimals,
                      uint64_t *seed) {
    const unsigned columns = decimals ? DECIMAL_INTEGERS : DECIMAL_COLUMNS;
    const struct decimal_column *column;

    if (!decimals && draw_next(seed, 2) == 0) {
        const int places = (int)draw_next(seed, 4);
        const int units =
            1 + (int)draw_next(seed, 99) * 10 + (int)draw_next(seed, 8);
        char digits[16];
        node->operation = DECIMAL_LITERAL;
        node->scale = places;
        node->literal = decimal_of(units, places);
        node->precision =
            most(snprintf(digits, sizeof digits, "%d", units), places);
        return;
    }
    node->operation = DECIMAL_COLUMN;
    node->a = (unsigned)draw_next(seed, columns);
    column = &formula->table->column[node->a];
    node->scale = column->scale;
    node->precision = column->digits;
}

/* The number of a formula's root; of decimals, or perhaps of an integer. */
static unsigned draw(struct decimal_formula *formula, unsigned depth,
                     bool decimals, uint64_t *seed) {
    struct decimal_node node = {.is_binary = false};
    const unsigned what = (unsigned)draw_next(seed, 8);

    if (depth == 0 || !decimals || what == 0) {
        draw_leaf(formula, &node, decimals, seed);
        formula->node[formula->number] = node;
        return formula->number++;
    }
    node.is_binary = what < 6;
    node.operation = (enum decimal_operation)(
        node.is_binary ? draw_next(seed, DECIMAL_NEGATE)
                       : DECIMAL_NEGATE + draw_next(seed, DECIMAL_CAST + 1 -
                                                              DECIMAL_NEGATE));
    node.a = draw(formula, depth - 1, true, seed);
    if (node.is_binary)
        node.b = draw(formula, depth - 1, draw_next(seed, 2) == 0, seed);
    if (node.is_binary && draw_next(seed, 2) == 0) {
        const unsigned first = node.a;
        node.a = node.b;
        node.b = first;
    }
    if (node.operation == DECIMAL_CAST) {
        node.precision = 1 + (int)draw_next(seed, MOST_DIGITS);
        node.scale = (int)draw_next(seed, (uint64_t)node.precision + 1);
    }
    find_type(formula, &node);
    formula->node[formula->number] = node;
    return formula->number++;
}

void decimal_formula_random(struct decimal_formula *formula,
                            const struct decimal_table *table, uint64_t *seed) {
    *formula = (struct decimal_formula){.table = table};
    draw(formula, 1 + (unsigned)draw_next(seed, 3), true, seed);
}

/* -------------------------------------------------------------------- texts */

static char *put_literal(char *to, const struct decimal_node *node) {
    for (int i = (int)most((int)digits_in(&node->literal), node->scale + 1);
         i-- > 0;) {
        *to++ = (char)('0' + node->literal.digit[i]);
        if (i == node->scale && i != 0)
            *to++ = '.';
    }
    return to;
}

char *decimal_formula_put(char *to, const struct decimal_formula *formula,
                          unsigned number) {
    static const char *const names[] = {
        [DECIMAL_ADD] = " + ",      [DECIMAL_SUBTRACT] = " - ",
        [DECIMAL_MULTIPLY] = " * ", [DECIMAL_REMAINDER] = " % ",
        [DECIMAL_MIN] = "min",      [DECIMAL_MAX] = "max",
        [DECIMAL_NEGATE] = "-",     [DECIMAL_ABS] = "abs",
        [DECIMAL_FLOOR] = "floor",  [DECIMAL_CEIL] = "ceil",
        [DECIMAL_ROUND] = "round",  [DECIMAL_CAST] = "cast"};
    const struct decimal_node *const node = &formula->node[number];
    const bool is_function = !node->is_binary || node->operation >= DECIMAL_MIN;

    if (node->operation == DECIMAL_LITERAL)
        return put_literal(to, node);
    if (node->operation == DECIMAL_COLUMN)
        return to + sprintf(to, "c%u", node->a);
    to += sprintf(to, "%s(", is_function ? names[node->operation] : "");
    to = decimal_formula_put(to, formula, node->a);
    if (node->is_binary) {
        to += sprintf(to, "%s", is_function ? ", " : names[node->operation]);
        to = decimal_formula_put(to, formula, node->b);
    }
    if (node->operation == DECIMAL_CAST)
        to += sprintf(to, " as decimal(%d, %d)", node->precision, node->scale);
    return to + sprintf(to, ")");
}

/* -------------------------------------------------------------------- checks */

static bool is_limit(const char *error) {
    return strstr(error, "an expression has more than ") != NULL;
}

/* A formula compared with another one: with a column or a literal, at times. */
static void check_formula(const struct decimal_table *table, uint8_t *keep,
                          struct decimal_tally *tally, uint64_t *seed) {
    static const char *const signs[] = {
        [WINNOW_LT] = "<",  [WINNOW_LE] = "<=", [WINNOW_EQ] = "=",
        [WINNOW_NE] = "<>", [WINNOW_GE] = ">=", [WINNOW_GT] = ">"};
    const winnow_compare compare = (winnow_compare)draw_next(seed, 6);
    static struct decimal_formula left, right;
    char text[MOST_TEXT], *at;
    winnow_condition *condition;

    do /* what is compared with a literal is computed */
        decimal_formula_random(&left, table, seed);
    while (left.number == 1);
    right = (struct decimal_formula){.table = table};
    draw(&right, (unsigned)draw_next(seed, 2), draw_next(seed, 2) == 0, seed);
    at = decimal_formula_put(text, &left, left.number - 1);
    at += sprintf(at, " %s ", signs[compare]);
    *decimal_formula_put(at, &right, right.number - 1) = '\0';
    if (winnow_condition_parse(&condition, table->fields, DECIMAL_COLUMNS,
                               text) != WINNOW_OK) {
        cr_assert(is_limit(winnow_last_error()) || left.is_refused ||
                      right.is_refused,
                  "%s: %s", text, winnow_last_error());
        tally->refused++;
        return;
    }
    winnow_condition_destroy(condition);
    cr_assert(!left.is_refused && !right.is_refused, "%s", text);
    for (uint64_t i = 0; i < table->n; i++) {
        const struct decimal x = decimal_value(&left, left.number - 1, i);
        const struct decimal y = decimal_value(&right, right.number - 1, i);
        keep[i] =
            !x.null && !y.null && wide_holds(decimal_order(&x, &y), compare, 0);
    }
    decimals_check_text(table->backend, table->fields, table->in,
                        DECIMAL_COLUMNS, table->n, text, keep);
    tally->tested++;
}

struct decimal_tally decimal_formulas_check(const struct decimal_table *table,
                                            unsigned formulas, uint64_t seed) {
    uint8_t *const keep = must_alloc(table->n);
    struct decimal_tally tally = {0, 0};

    while (tally.tested < formulas)
        check_formula(table, keep, &tally, &seed);
    free(keep);
    return tally;
}

/* --------------------------------------------------------------------- sums */

/* Of those of the items from one on that are not null. */
static struct decimal sum_of(const struct decimal_formula *formula,
                             uint64_t first, uint64_t end, int scale,
                             uint64_t *count) {
    struct decimal all = {.scale = scale};

    for (uint64_t i = first; i < end; i++) {
        const struct decimal value =
            decimal_value(formula, formula->number - 1, i);
        if (value.null)
            continue;
        all = sum(&all, value);
        ++*count;
    }
    return all;
}

static wide wide_of(winnow_number low, uint64_t high) {
    return (wide)((unsigned_wide)high << 64 | low.uint64);
}

/* A sum of more than 38 digits is none. */
static void check_sum(const winnow_reduction *found,
                      const struct decimal *wanted, uint64_t count,
                      const char *text) {
    const wide units = wide_of(found->sum, found->overflow);
    const struct decimal made = decimal_of(units, wanted->scale);

    cr_assert_eq(found->count, count, "%s", text);
    if (digits_in(wanted) > MOST_DIGITS) {
        cr_assert(units == WIDE_LEAST && found->mean != found->mean, "%s",
                  text);
        return;
    }
    cr_assert_eq(decimal_order(&made, wanted), 0, "%s", text);
    cr_assert(count == 0 || found->mean == (double)units / (double)count,
              "%s: the mean is %g", text, found->mean);
}

static void reduce(const struct decimal_table *table, const winnow_in *in,
                   uint64_t n, const winnow_aggregate *aggregate,
                   winnow_reduction *made) {
    const struct backend *const backend = table->backend;
    winnow_reduction *const d_made = backend_alloc(backend, sizeof *made);

    cr_assert_eq(winnow_reduce_where(backend->context, NULL, in,
                                     DECIMAL_COLUMNS, n, aggregate, 1, d_made,
                                     WINNOW_LAUNCH(.stream = backend->stream)),
                 WINNOW_OK, "%s", winnow_last_error());
    backend_download(backend, made, d_made, sizeof *made);
    backend_free(backend, d_made);
}

/* In one call, and in two whose results are put together. */
static void check_reduced(const struct decimal_table *table,
                          const struct decimal_formula *formula,
                          const winnow_expression *expression,
                          const char *text) {
    const struct decimal_node *const root = &formula->node[formula->number - 1];
    winnow_aggregate aggregate = {.expression = expression,
                                  .wanted =
                                      WINNOW_REDUCE_COUNT | WINNOW_REDUCE_SUM};
    winnow_reduction parts[2];
    uint64_t count = 0;
    const struct decimal wanted =
        sum_of(formula, 0, table->n, root->scale, &count);
    const struct decimal twice = sum(&wanted, wanted);

    reduce(table, table->in, table->n, &aggregate, &parts[0]);
    check_sum(&parts[0], &wanted, count, text);
    aggregate.wanted |= WINNOW_REDUCE_PARTIAL;
    reduce(table, table->in, table->n, &aggregate, &parts[0]);
    parts[1] = parts[0];
    cr_assert_eq(winnow_reduction_merge(WINNOW_INT128, parts, NULL, 2,
                                        WINNOW_REDUCE_COUNT | WINNOW_REDUCE_SUM,
                                        &parts[0]),
                 WINNOW_OK);
    check_sum(&parts[0], &twice, 2 * count, text);
}

unsigned decimal_sums_check(const struct decimal_table *table,
                            unsigned formulas, uint64_t seed) {
    unsigned tested = 0;

    for (unsigned i = 0; i < formulas; i++) {
        static struct decimal_formula formula;
        winnow_expression *expression;
        char text[MOST_TEXT], format[16];

        decimal_formula_random(&formula, table, &seed);
        *decimal_formula_put(text, &formula, formula.number - 1) = '\0';
        if (winnow_expression_parse(&expression, table->fields, DECIMAL_COLUMNS,
                                    text) != WINNOW_OK) {
            cr_assert(is_limit(winnow_last_error()) || formula.is_refused,
                      "%s: %s", text, winnow_last_error());
            continue;
        }
        snprintf(format, sizeof format, "d:%d,%d",
                 formula.node[formula.number - 1].precision,
                 formula.node[formula.number - 1].scale);
        cr_assert_str_eq(winnow_expression_format(expression), format, "%s",
                         text);
        cr_assert_eq(winnow_expression_type(expression), WINNOW_INT128);
        check_reduced(table, &formula, expression, text);
        winnow_expression_destroy(expression);
        tested++;
    }
    return tested;
}
