/*
 * winnow_condition_bounds: what it says is true of every row that a condition keeps,
 * and of numbers and nulls of no other row; winnow_condition_columns.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data.h"
#include "element.h"
#include "mixed.h"
#include "reduced.h"
#include "rules.h"
#include "suite.h"

enum {
    MOST_BOUNDS = 4096
};

struct formula {
    uint64_t count;
    winnow_bound bounds[MOST_BOUNDS];
};

static void formula_of(struct formula *formula,
                       const winnow_condition *condition) {
    uint64_t first = 0;

    cr_assert_eq(winnow_condition_bounds(condition, NULL, 0, &first), WINNOW_OK,
                 "%s", winnow_last_error());
    cr_assert_leq(first, MOST_BOUNDS);
    cr_assert_eq(winnow_condition_bounds(condition, formula->bounds, first,
                                         &formula->count),
                 WINNOW_OK, "%s", winnow_last_error());
    cr_assert_eq(first, formula->count);
}

/* ---------------------------------------------------------------- evaluation */

/* An element of a column. */
struct value {
    bool is_null;
    uint64_t bits;           /* of numbers */
    wide wide;               /* of WINNOW_INT128 */
    const struct text *text; /* of strings; NULL: an index that names none */
};

typedef struct value value_of(const void *argument, unsigned column,
                              uint64_t row);

static bool is_nan(winnow_type type, uint64_t bits) {
    return element_is_float(type) &&
           (bits & ~element_top_bit(type) & element_all_bits(type)) >
               element_infinity(type);
}

static bool is_in_range(const winnow_bound *bound, const struct value *value) {
    wide low, high;

    if (bound->type == WINNOW_INT128) {
        memcpy(&low, bound->low, sizeof(low));
        memcpy(&high, bound->high, sizeof(high));
        return low <= value->wide && value->wide <= high;
    }
    if (bound->type == WINNOW_BIT)
        return bound->low[0] <= value->bits && value->bits <= bound->high[0];
    const struct rule from = {.type = bound->type,
                              .compare = WINNOW_GE,
                              .low = element_load(bound->type, bound->low)};
    const struct rule to = {.type = bound->type,
                            .compare = WINNOW_LE,
                            .low = element_load(bound->type, bound->high)};

    /* An end that is not there is that of the type. */
    cr_assert(bound->has_low ||
              oracle_keeps(&from, element_is_float(bound->type)
                                      ? element_infinity(bound->type) |
                                            element_top_bit(bound->type)
                                  : element_is_signed(bound->type)
                                      ? element_top_bit(bound->type)
                                      : 0));
    return oracle_keeps(&from, value->bits) && oracle_keeps(&to, value->bits);
}

static int order_of(const struct text *text, winnow_buffer end) {
    const size_t both =
        text->length < end.bytes ? text->length : (size_t)end.bytes;
    const int order = memcmp(text->bytes, end.d_bytes, both);

    return order != 0 ? order
                      : (text->length > end.bytes) - (text->length < end.bytes);
}

static bool holds(const winnow_bound *bound, const struct value *value,
                  winnow_type type) {
    switch (bound->kind) {
    case WINNOW_BOUND_RANGE:
        return !value->is_null && is_in_range(bound, value);
    case WINNOW_BOUND_TEXT:
        return !value->is_null && value->text != NULL &&
               (!bound->has_low ||
                order_of(value->text, bound->low_text) >= 0) &&
               (!bound->has_high ||
                order_of(value->text, bound->high_text) <= 0);
    case WINNOW_BOUND_NAN:
        return !value->is_null && is_nan(type, value->bits);
    case WINNOW_BOUND_NULL:
        return value->is_null;
    case WINNOW_BOUND_VALID:
        return !value->is_null;
    default:
        return false;
    }
}

static bool is_true(const struct formula *formula, value_of *of,
                    const void *argument, const winnow_type *types,
                    uint64_t row) {
    static bool stack[MOST_BOUNDS];
    unsigned depth = 0;

    for (uint64_t i = 0; i < formula->count; i++) {
        const winnow_bound *const bound = &formula->bounds[i];

        if (bound->kind == WINNOW_BOUND_AND || bound->kind == WINNOW_BOUND_OR) {
            cr_assert_geq(depth, 2u);
            depth--;
            stack[depth - 1] = bound->kind == WINNOW_BOUND_AND
                                   ? stack[depth - 1] && stack[depth]
                                   : stack[depth - 1] || stack[depth];
            continue;
        }
        const struct value value = of(argument, bound->column, row);

        stack[depth++] = holds(bound, &value, types[bound->column]);
    }
    cr_assert_leq(depth, 1u);
    return depth == 0 || stack[0];
}

/* --------------------------------------------------------------- one column */

static struct value own_bits(const void *argument, unsigned column,
                             uint64_t row) {
    (void)column;
    return (struct value){.bits = ((const uint64_t *)argument)[row]};
}

/* Elements beside the rule's own, and some that are far away. */
static uint64_t near(winnow_type type, const struct rule *rule, uint64_t i) {
    const uint64_t own = i % 2 == 0 ? rule->low : rule->high;

    return (i < 12 ? own + i / 2 - 2 : data_random(7, i)) &
           element_all_bits(type);
}

static void check_rule(const struct rule *rule) {
    enum {
        NEAR = 40
    };
    static struct formula formula;
    winnow_predicate *predicate;
    winnow_condition *test, *other;
    uint64_t bits[NEAR];
    const winnow_type types[] = {rule->type};

    cr_assert_eq(rule_create(rule, &predicate), WINNOW_OK);
    cr_assert_eq(winnow_condition_test(&test, 0, predicate), WINNOW_OK);
    cr_assert_eq(winnow_condition_not(&other, test), WINNOW_OK);
    for (uint64_t i = 0; i < NEAR; i++)
        bits[i] = near(rule->type, rule, i);
    for (unsigned negated = 0; negated < 2; negated++) {
        formula_of(&formula, negated ? other : test);
        for (uint64_t i = 0; i < NEAR; i++)
            cr_assert_eq(is_true(&formula, own_bits, bits, types, i),
                         oracle_keeps(rule, bits[i]) != negated,
                         "%s, 0x%" PRIx64, winnow_type_name(rule->type),
                         bits[i]);
    }
    winnow_condition_destroy(test);
    winnow_condition_destroy(other);
    winnow_predicate_destroy(predicate);
}

/* Comparisons and ranges of every type, and their opposites, are said exactly. */
Test(condition_bounds, rules) {
    static struct rule rules[RULES_MOST];

    FOR_EACH_TYPE(type) {
        const size_t number = rules_all(type, rules);

        for (size_t i = 0; i < number; i++)
            if (rules[i].kind != RULE_BITS)
                check_rule(&rules[i]);
    }
}

/* Each test, and its opposite, is the predicate that it was made from. */
Test(condition_bounds, predicates) {
    enum {
        NEAR = 40
    };
    struct backend backend;

    backend_open_host(&backend);
    FOR_EACH_TYPE(type) {
        struct rule rules[RULES_KINDS];

        rules_kinds(type, rules);
        for (unsigned i = 0; i < 2 * RULES_KINDS; i++) {
            const struct rule *const rule = &rules[i / 2];
            unsigned char elements[8 * NEAR];
            winnow_predicate *predicate, *same;
            winnow_condition *test, *other;
            uint64_t wanted = 0, count;

            cr_assert_eq(rule_create(rule, &predicate), WINNOW_OK);
            cr_assert_eq(winnow_condition_test(&test, 0, predicate), WINNOW_OK);
            cr_assert_eq(winnow_condition_not(&other, test), WINNOW_OK);
            cr_assert_eq(
                winnow_condition_predicate(&same, i % 2 ? other : test),
                WINNOW_OK);
            for (uint64_t k = 0; k < NEAR; k++) {
                const uint64_t bits = near(type, rule, k);

                element_store(type, elements + k * element_size(type), bits);
                wanted += oracle_keeps(rule, bits) != (i % 2 != 0);
            }
            cr_assert_eq(winnow_count_if(backend.context, same, type, elements,
                                         NEAR, &count, NULL),
                         WINNOW_OK);
            cr_assert_eq(count, wanted, "%s, rule %u", winnow_type_name(type),
                         i);
            winnow_predicate_destroy(predicate);
            winnow_predicate_destroy(same);
            winnow_condition_destroy(test);
            winnow_condition_destroy(other);
        }
    }
    backend_close(&backend);
}

static void refuse_predicate(const char *text) {
    static const winnow_field columns[] = {{.name = "x", .type = WINNOW_INT32},
                                           {.name = "d", .type = WINNOW_INT128},
                                           {.name = "b", .type = WINNOW_BIT}};
    winnow_condition *condition;
    winnow_predicate *predicate = NULL;

    cr_assert_eq(winnow_condition_parse(&condition, columns, 3, text),
                 WINNOW_OK);
    cr_assert_eq(winnow_condition_predicate(&predicate, condition),
                 WINNOW_ERR_UNSUPPORTED, "%s", text);
    cr_assert_null(predicate);
    winnow_condition_destroy(condition);
}

Test(condition_bounds, no_predicates) {
    refuse_predicate("x = 1 or x = 5");
    refuse_predicate("x + 1 = 7");
    refuse_predicate("d < 0");
    refuse_predicate("b");
    refuse_predicate("true");
    refuse_predicate("x is null");
    refuse_predicate("x in (1, 5, 1000)");
}

/* Of a list with more values than ranges are given, no value is left out; of
 * others nothing else is said. */
Test(condition_bounds, lists) {
    static struct formula formula;

    FOR_EACH_TYPE(type) {
        for (unsigned number = 1; number < 200; number += 33) {
            const size_t size = element_size(type);
            unsigned char *const values = must_alloc(number * size);
            uint64_t *const bits = must_alloc(2 * number * sizeof(uint64_t));
            const winnow_type types[] = {type};
            winnow_condition *in, *other;

            for (unsigned i = 0; i < number; i++) {
                bits[i] = data_random(number, i) & element_all_bits(type);
                bits[number + i] = data_random(7, i) & element_all_bits(type);
                element_store(type, values + i * size, bits[i]);
            }
            cr_assert_eq(
                winnow_condition_in(&in, NULL, 0, type, values, number),
                WINNOW_OK);
            cr_assert_eq(winnow_condition_not(&other, in), WINNOW_OK);
            for (unsigned negated = 0; negated < 2; negated++) {
                formula_of(&formula, negated ? other : in);
                cr_assert_leq(formula.count, 2u * 64 + 2);
                for (unsigned i = 0; i < 2 * number; i++) {
                    bool is_in = false;

                    for (unsigned v = 0; v < number; v++) {
                        const struct rule equal = {
                            .type = type, .compare = WINNOW_EQ, .low = bits[v]};
                        is_in |= oracle_keeps(&equal, bits[i]);
                    }
                    const bool said =
                        is_true(&formula, own_bits, bits, types, i);

                    cr_assert(number > 60 ? said || is_in == negated
                                          : said == (is_in != negated),
                              "%s of %u, 0x%" PRIx64, winnow_type_name(type),
                              number, bits[i]);
                }
            }
            winnow_condition_destroy(in);
            winnow_condition_destroy(other);
            free(values);
            free(bits);
        }
    }
}

/* ------------------------------------------------------------ whole conditions */

static struct value mixed_value(const void *argument, unsigned column,
                                uint64_t row) {
    const struct mixed *const mixed = argument;
    const unsigned table = mixed->table.columns;
    struct value value = {.is_null = mixed->is_null[column][row]};

    if (column < table)
        value.bits = mixed->table.bits[column][row];
    else if (column < table + MIXED_WIDES)
        value.wide = mixed->wides[column - table].values[row];
    else
        value.text = mixed->texts[column - table - MIXED_WIDES].texts[row];
    return value;
}

/* Are all its leaves of numbers, without masks, and is no part asked whether it is
 * unknown? */
static bool is_said_exactly(const struct expression *expression) {
    for (unsigned i = 0; i < expression->number; i++)
        if ((expression->nodes[i].kind == EXPRESSION_TEST &&
             expression->nodes[i].rule.kind == RULE_BITS) ||
            expression->nodes[i].kind == EXPRESSION_IS_TRUE ||
            expression->nodes[i].kind == EXPRESSION_LEAF)
            return false;
    return true;
}

struct tally {
    uint64_t left_out, exact;
};

static void check_tree(struct mixed *mixed, const struct expression *tree,
                       struct tally *tally, uint64_t seed) {
    static struct formula formula;
    winnow_condition *const condition = expression_create(tree);
    winnow_type types[MIXED_COLUMNS];
    const bool is_exact = is_said_exactly(tree);

    for (unsigned c = 0; c < MIXED_COLUMNS; c++)
        types[c] = c < mixed->table.columns ? mixed->table.pools[c].type
                                            : WINNOW_OPAQUE;
    expression_keep(tree, mixed->table.bits, mixed->is_null, mixed->n,
                    UINT64_MAX, mixed->table.keep);
    formula_of(&formula, condition);
    for (uint64_t row = 0; row < mixed->n; row++) {
        const bool said = is_true(&formula, mixed_value, mixed, types, row);
        const bool kept = mixed->table.keep[row] != 0;

        cr_assert(said || !kept, "seed %" PRIu64 ", row %" PRIu64, seed, row);
        cr_assert(!is_exact || said == kept,
                  "seed %" PRIu64 ", row %" PRIu64 " of an exact one", seed,
                  row);
        tally->left_out += !said;
    }
    tally->exact += is_exact;
    winnow_condition_destroy(condition);
}

/* Random trees of all that there is, with nulls. */
Test(condition_bounds, random) {
    static struct mixed mixed;
    static struct expression tree;
    const unsigned trials = reduced_mode() ? 30 : 200;
    struct backend backend;
    struct tally tally = {0, 0};

    backend_open_host(&backend);
    for (unsigned trial = 0; trial < trials; trial++) {
        uint64_t seed = 5100 + trial;

        table_random(&mixed.table, 1 + (unsigned)draw_next(&seed, 4), seed);
        mixed_open(&mixed, &backend, 300, seed);
        for (unsigned i = 0; i < 6; i++) {
            const unsigned leaves = 1 + (unsigned)draw_next(&seed, 7);

            if (i % 2 == 0)
                mixed_random(&mixed, &tree, leaves, seed);
            else
                expression_random(&tree, mixed.table.pools, mixed.table.columns,
                                  leaves, seed);
            check_tree(&mixed, &tree, &tally, seed);
        }
        mixed_close(&mixed);
    }
    backend_close(&backend);
    cr_assert_gt(tally.left_out, 1000u);
    cr_assert_gt(tally.exact, 10u);
}

/* --------------------------------------------------------------------- texts */

static const winnow_field fields[] = {
    {.name = "x", .type = WINNOW_INT32},
    {.name = "f", .type = WINNOW_FLOAT64},
    {.name = "d", .type = WINNOW_INT128, .format = "d:38,2"},
    {.name = "day", .type = WINNOW_INT32, .format = "tdD"},
    {.name = "s", .type = WINNOW_STRING32},
    {.name = "b", .type = WINNOW_BIT},
    {.name = "o", .type = WINNOW_OPAQUE},
};

static void write_end(const winnow_bound *bound, const uint8_t *end, char *to,
                      size_t bytes) {
    char digits[48];
    double number;
    wide large;

    memcpy(&number, end, sizeof(number));
    memcpy(&large, end, sizeof(large));
    if (bound->type == WINNOW_FLOAT64)
        snprintf(to, bytes, "%g", number);
    else if (bound->type == WINNOW_INT128)
        snprintf(to, bytes, "%s", wide_digits(large, digits));
    else
        snprintf(to, bytes, "%d",
                 (int)(int32_t)element_load(WINNOW_INT32, end));
}

/* "x 1..3 y null or" */
static void write_formula(const struct formula *formula, char *to,
                          size_t bytes) {
    static const char *const words[] = {"", "", " nan", " null", " valid"};
    char low[60], high[60];

    *to = '\0';
    for (uint64_t i = 0; i < formula->count; i++) {
        const winnow_bound *const bound = &formula->bounds[i];
        const char *const name = fields[bound->column].name;
        const size_t used = strlen(to);
        const char *const space = used != 0 ? " " : "";

        write_end(bound, bound->low, low, sizeof(low));
        write_end(bound, bound->high, high, sizeof(high));
        if (bound->kind >= WINNOW_BOUND_NEVER)
            snprintf(to + used, bytes - used, "%s%s", space,
                     bound->kind == WINNOW_BOUND_AND  ? "and"
                     : bound->kind == WINNOW_BOUND_OR ? "or"
                                                      : "never");
        else if (bound->kind == WINNOW_BOUND_RANGE)
            snprintf(to + used, bytes - used, "%s%s %s..%s", space, name, low,
                     high);
        else if (bound->kind == WINNOW_BOUND_TEXT)
            snprintf(to + used, bytes - used, "%s%s '%.*s'..'%.*s'", space,
                     name, (int)bound->low_text.bytes,
                     (const char *)bound->low_text.d_bytes,
                     (int)bound->high_text.bytes,
                     (const char *)bound->high_text.d_bytes);
        else
            snprintf(to + used, bytes - used, "%s%s%s", space, name,
                     words[bound->kind]);
    }
}

Test(condition_bounds, texts) {
    static const struct {
        const char *text, *formula;
    } cases[] = {
        {"true", ""},
        {"x = 1 and null", "never"},
        {"x > 3000000000", "never"},
        {"x < -3000000000 or x = 2", "x 2..2"},
        {"x > 5", "x 6..2147483647"},
        {"x <> 5", "x -2147483648..4 x 6..2147483647 or"},
        {"x in (3, 1, 2, 9)", "x 1..3 x 9..9 or"},
        {"x between -2 and 7", "x -2..7"},
        {"x < 3 and s = 'a'", "s 'a'..'a' x -2147483648..2 and"},
        {"x = 3 or s = 'a'", "s 'a'..'a' x 3..3 or"},
        {"x = 3 or length(s) = 2", ""},
        {"x = 3 and length(s) = 2", "x 3..3"},
        {"(x & 1) = 1", "x valid"},
        {"x is null", "x null"},
        {"not (x is null or x > 3)", "x -2147483648..3 x valid and"},
        {"(x = 5) is true", "x 5..5"},
        {"(x = 5) is not true", ""},
        {"(x is null) is not true", "x valid"},
        {"f = 0", "f -0..0"},
        {"not f >= 1.5", "f -inf..1.5 f nan or"},
        {"f < 1 / 0", "f -inf..1.79769e+308"},
        {"d = 10.5", "d 1050..1050"},
        {"not d = 0", "d -170141183460469231731687303715884105728..-1 d "
                      "1..170141183460469231731687303715884105727 or"},
        {"d in (1, 1.01, 5)", "d 100..101 d 500..500 or"},
        {"day = '1970-01-05'", "day 4..4"},
        {"year(day) = 1970", "day 0..364"},
        {"s < 'm'", "s ''..'m'"},
        {"not s < 'm'", "s 'm'..''"},
        {"s <> 'm'", "s valid"},
        {"s like 'ab%c_'", "s 'ab'..''"},
        {"s like '%ab'", "s valid"},
        {"starts_with(s, 'ab')", "s 'ab'..''"},
        {"s in ('b', 'a')", "s 'b'..'b' s 'a'..'a' or"},
        {"b", "b 1..1"},
        {"not b", "b 0..0"},
        {"o is not null", "o valid"},
    };
    static struct formula formula;
    char text[1000];

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        winnow_condition *condition;

        cr_assert_eq(
            winnow_condition_parse(&condition, fields, 7, cases[i].text),
            WINNOW_OK, "%s: %s", cases[i].text, winnow_last_error());
        formula_of(&formula, condition);
        write_formula(&formula, text, sizeof(text));
        cr_assert_str_eq(text, cases[i].formula, "%s: %s, wanted %s",
                         cases[i].text, text, cases[i].formula);
        winnow_condition_destroy(condition);
    }
}

/* A capacity that is too small cuts the formula, and nothing behind it is
 * written. */
Test(condition_bounds, capacity) {
    winnow_condition *condition;
    winnow_bound bounds[3];
    uint64_t count = 0;

    memset(bounds, 0x5a, sizeof(bounds));
    cr_assert_eq(winnow_condition_parse(&condition, fields, 7, "x <> 5"),
                 WINNOW_OK);
    cr_assert_eq(winnow_condition_bounds(condition, bounds, 2, &count),
                 WINNOW_OK);
    cr_assert_eq(count, 3);
    cr_assert_eq(bounds[1].kind, WINNOW_BOUND_RANGE);
    cr_assert_eq(((unsigned char *)&bounds[2])[0], 0x5a);
    winnow_condition_destroy(condition);
}

/* ------------------------------------------------------------------- columns */

Test(condition_bounds, columns) {
    static const struct {
        const char *text;
        unsigned count, columns[4];
    } cases[] = {
        {"true", 0, {0}},
        {"x = 1 or true", 0, {0}},
        {"s = 'a' and x + f > 3", 3, {4, 0, 1}},
        {"d = 1 and d > 0", 1, {2}},
        {"o is null or day = '1970-01-01'", 2, {6, 3}},
    };
    unsigned columns[WINNOW_CONDITION_MOST_COLUMNS], count;
    winnow_condition *condition;
    winnow_expression *expression;

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        cr_assert_eq(
            winnow_condition_parse(&condition, fields, 7, cases[i].text),
            WINNOW_OK, "%s: %s", cases[i].text, winnow_last_error());
        cr_assert_eq(winnow_condition_columns(condition, columns, &count),
                     WINNOW_OK);
        cr_assert_eq(count, cases[i].count, "%s", cases[i].text);
        for (unsigned c = 0; c < count; c++)
            cr_assert_eq(columns[c], cases[i].columns[c], "%s", cases[i].text);
        winnow_condition_destroy(condition);
    }
    cr_assert_eq(winnow_expression_parse(&expression, fields, 7, "x * f + x"),
                 WINNOW_OK);
    cr_assert_eq(winnow_expression_columns(expression, columns, &count),
                 WINNOW_OK);
    cr_assert_eq(count, 2);
    cr_assert_eq(columns[0] + columns[1], 1);
    winnow_expression_destroy(expression);
}

#define REFUSES(call, what)                                                    \
    do {                                                                       \
        cr_assert_eq(call, WINNOW_ERR_ARGUMENT);                               \
        cr_assert_str_eq(winnow_last_error(), what " is NULL");                \
    } while (0)

Test(condition_bounds, arguments) {
    unsigned columns[WINNOW_CONDITION_MOST_COLUMNS], number = 0;
    uint64_t count = 0;
    winnow_condition *condition;
    winnow_bound bound;

    cr_assert_eq(winnow_condition_bit(&condition, 0), WINNOW_OK);
    REFUSES(winnow_condition_columns(NULL, columns, &number), "condition");
    REFUSES(winnow_condition_columns(condition, NULL, &number), "columns");
    REFUSES(winnow_condition_columns(condition, columns, NULL), "count_p");
    REFUSES(winnow_expression_columns(NULL, columns, &number), "expression");
    REFUSES(winnow_condition_bounds(NULL, &bound, 1, &count), "condition");
    REFUSES(winnow_condition_bounds(condition, NULL, 1, &count), "bounds");
    REFUSES(winnow_condition_bounds(condition, &bound, 1, NULL), "count_p");
    winnow_condition_destroy(condition);
}
