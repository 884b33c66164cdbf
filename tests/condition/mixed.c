/*
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include "mixed.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data.h"
#include "element.h"

/* ------------------------------------------------------------------ columns */

unsigned mixed_columns(const struct mixed *mixed) {
    return mixed->table.columns + MIXED_OTHERS;
}

winnow_in mixed_column(const struct mixed *mixed, unsigned column) {
    const unsigned table = mixed->table.columns;

    return column < table ? table_column(&mixed->table, column, mixed->n)
           : column < table + MIXED_WIDES
               ? mixed->wides[column - table].in
               : mixed->texts[column - table - MIXED_WIDES].in;
}

/* Of some columns few elements are null, of others half, or none. */
static void add_nulls(struct mixed *mixed, unsigned other, winnow_in *in,
                      uint64_t *seed) {
    const uint64_t offset = draw_next(seed, 100);
    const uint64_t share =
        draw_next(seed, 3) == 0 ? 10 : 1 + draw_next(seed, 9);
    const size_t bytes = (size_t)(offset + mixed->n) / 8 + 1;
    unsigned char *const valid = must_alloc(bytes);
    bool *const is_null = mixed->is_null[mixed->table.columns + other];

    memset(valid, 0x5a, bytes);
    for (uint64_t i = 0; i < mixed->n; i++) {
        const uint64_t place = offset + i;
        const unsigned char bit = (unsigned char)(1 << place % 8);
        const bool is_valid = draw_next(seed, 10) < share;

        valid[place / 8] = (unsigned char)(is_valid ? valid[place / 8] | bit
                                                    : valid[place / 8] & ~bit);
        is_null[i] = !is_valid;
    }
    mixed->d_valid[other] = backend_alloc(mixed->backend, bytes);
    backend_upload(mixed->backend, mixed->d_valid[other], valid, bytes);
    free(valid);
    if (share == 10) /* without one */
        return;
    in->d_valid = mixed->d_valid[other];
    in->valid_offset = offset;
}

void mixed_open(struct mixed *mixed, const struct backend *backend, uint64_t n,
                uint64_t seed) {
    const unsigned table = mixed->table.columns;

    mixed->backend = backend;
    mixed->n = n;
    mixed->leaves = 0;
    table_open(&mixed->table, backend, n);
    table_fill(&mixed->table, n, 1 + draw_next(&seed, 40), seed);
    for (unsigned c = 0; c < table; c++)
        mixed->is_null[c] = mixed->table.is_null[c];
    for (unsigned c = 0; c < MIXED_OTHERS; c++)
        mixed->is_null[table + c] = must_alloc((n + 1) * sizeof(bool));
    for (unsigned c = 0; c < MIXED_WIDES; c++) {
        wide_column_open(&mixed->wides[c], backend, n, &seed);
        add_nulls(mixed, c, &mixed->wides[c].in, &seed);
    }
    for (unsigned c = 0; c < MIXED_TEXTS; c++) {
        struct text_form form;

        text_form_random(&form, &seed);
        text_column_open(&mixed->texts[c], backend, &form, n, &seed);
        add_nulls(mixed, MIXED_WIDES + c, &mixed->texts[c].in, &seed);
        for (uint64_t i = 0; mixed->texts[c].has_null_values && i < n; i++)
            mixed->is_null[table + MIXED_WIDES + c][i] |=
                mixed->texts[c].texts[i] == NULL;
    }
}

void mixed_close(struct mixed *mixed) {
    mixed_clear(mixed);
    for (unsigned c = 0; c < MIXED_WIDES; c++)
        wide_column_close(&mixed->wides[c]);
    for (unsigned c = 0; c < MIXED_TEXTS; c++)
        text_column_close(&mixed->texts[c]);
    for (unsigned c = 0; c < MIXED_OTHERS; c++) {
        backend_free(mixed->backend, mixed->d_valid[c]);
        free(mixed->is_null[mixed->table.columns + c]);
    }
    table_close(&mixed->table);
}

/* ------------------------------------------------------------------- leaves */

void mixed_clear(struct mixed *mixed) {
    for (unsigned i = 0; i < mixed->leaves; i++) {
        winnow_condition_destroy(mixed->leaf[i]->condition);
        free(mixed->leaf[i]);
    }
    mixed->leaves = 0;
}

static struct leaf *new_leaf(struct mixed *mixed, winnow_condition *condition) {
    struct leaf *const leaf = must_alloc(sizeof(*leaf) + mixed->n + 1);

    if (mixed->leaves == MIXED_LEAVES)
        abort();
    mixed->leaf[mixed->leaves++] = leaf;
    leaf->condition = condition;
    return leaf;
}

static uint8_t truth_of(bool is_null, bool is) {
    return is_null ? TRUTH_UNKNOWN : is ? TRUTH_TRUE : TRUTH_FALSE;
}

unsigned mixed_wide(struct mixed *mixed, struct expression *expression,
                    unsigned column, const struct wide_rule *rule) {
    const unsigned number = mixed->table.columns + column;
    struct leaf *const leaf = new_leaf(mixed, wide_rule_create(rule, number));

    for (uint64_t i = 0; i < mixed->n; i++)
        leaf->truth[i] =
            truth_of(mixed->is_null[number][i],
                     wide_rule_keeps(rule, mixed->wides[column].values[i]));
    return expression_leaf(expression, leaf);
}

/* An index that is none of a value's is as a null to a test. */
unsigned mixed_text(struct mixed *mixed, struct expression *expression,
                    unsigned column, const struct text_rule *rule) {
    const unsigned number = mixed->table.columns + MIXED_WIDES + column;
    struct leaf *const leaf = new_leaf(mixed, text_rule_create(rule, number));

    for (uint64_t i = 0; i < mixed->n; i++) {
        const struct text *const text = mixed->texts[column].texts[i];
        const bool is_null = mixed->is_null[number][i] || text == NULL;

        leaf->truth[i] =
            truth_of(is_null, !is_null && text_rule_keeps(rule, text));
    }
    return expression_leaf(expression, leaf);
}

/* As a text says it: there is no other way to have one. */
static winnow_condition *parse_comparison(unsigned a, winnow_compare compare,
                                          unsigned b) {
    static const char *const words[] = {"<", "<=", "=", "<>", ">=", ">"};
    winnow_field fields[MIXED_COLUMNS];
    char names[MIXED_COLUMNS][8], text[32];
    winnow_condition *condition;

    for (unsigned c = 0; c < MIXED_COLUMNS; c++) {
        snprintf(names[c], sizeof(names[c]), "c%u", c);
        fields[c] = (winnow_field){.name = names[c], .type = WINNOW_STRING32};
    }
    snprintf(text, sizeof(text), "c%u %s c%u", a, words[compare], b);
    if (winnow_condition_parse(&condition, fields, MIXED_COLUMNS, text) !=
        WINNOW_OK) {
        fprintf(stderr, "%s\n", winnow_last_error());
        abort();
    }
    return condition;
}

unsigned mixed_compare_texts(struct mixed *mixed, struct expression *expression,
                             unsigned a, winnow_compare compare, unsigned b) {
    const unsigned first = mixed->table.columns + MIXED_WIDES;
    struct leaf *const leaf =
        new_leaf(mixed, parse_comparison(first + a, compare, first + b));
    const struct text_rule rule = {.test = (int)compare, .number = 1};

    for (uint64_t i = 0; i < mixed->n; i++) {
        const struct text *const of_a = mixed->texts[a].texts[i];
        const struct text *const of_b = mixed->texts[b].texts[i];
        const bool is_null = mixed->is_null[first + a][i] ||
                             mixed->is_null[first + b][i] || of_a == NULL ||
                             of_b == NULL;
        struct text_rule with = rule;

        with.texts = (struct text *)(uintptr_t)of_b;
        leaf->truth[i] =
            truth_of(is_null, !is_null && text_rule_keeps(&with, of_a));
    }
    return expression_leaf(expression, leaf);
}

struct text mixed_some_text(const struct mixed *mixed, unsigned column,
                            uint64_t *seed) {
    const struct text *text = NULL;
    struct text made;

    if (mixed->n != 0)
        text = mixed->texts[column].texts[draw_next(seed, mixed->n)];
    if (text != NULL)
        return *text;
    text_random(&made, seed);
    return made;
}

/* Few values, or enough that they are looked up. */
static unsigned number_set(struct mixed *mixed, struct expression *expression,
                           unsigned column, uint64_t *seed) {
    static const unsigned mosts[] = {2, 5, 12, 80};
    const struct pool *const pool = &mixed->table.pools[column];
    const size_t size = element_size(pool->type);
    const unsigned number =
        (unsigned)draw_next(seed, mosts[draw_next(seed, 4)] + 1);
    unsigned char *const values = must_alloc((number + 1) * size);
    bool keeps[CONDITION_POOL] = {false};
    winnow_condition *condition;
    struct leaf *leaf;

    for (unsigned v = 0; v < number; v++) {
        const struct rule equal = {
            .type = pool->type,
            .compare = WINNOW_EQ,
            .low = draw_next(seed, 2)
                       ? pool->bits[draw_next(seed, CONDITION_POOL)]
                       : data_random(*seed, v) & element_all_bits(pool->type)};

        element_store(pool->type, values + v * size, equal.low);
        for (unsigned p = 0; p < CONDITION_POOL; p++)
            keeps[p] |= oracle_keeps(&equal, pool->bits[p]);
    }
    if (winnow_condition_in(&condition, NULL, column, pool->type, values,
                            number) != WINNOW_OK) {
        fprintf(stderr, "%s\n", winnow_last_error());
        abort();
    }
    free(values);
    leaf = new_leaf(mixed, condition);
    for (uint64_t i = 0; i < mixed->n; i++) {
        unsigned p = 0;

        while (pool->bits[p] != mixed->table.bits[column][i])
            p++;
        leaf->truth[i] = truth_of(mixed->is_null[column][i], keeps[p]);
    }
    return expression_leaf(expression, leaf);
}

static unsigned random_leaf(struct expression *expression, void *argument,
                            uint64_t *seed) {
    struct mixed *const mixed = argument;
    const unsigned table = mixed->table.columns;
    const unsigned column = (unsigned)draw_next(seed, mixed_columns(mixed));

    if (column >= table && draw_next(seed, 10) == 0)
        return expression_is_null(expression, column);
    if (column >= table + MIXED_WIDES) {
        const unsigned c = column - table - MIXED_WIDES;
        const struct text like = mixed_some_text(mixed, c, seed);
        struct text_rule rule;
        unsigned leaf;

        if (draw_next(seed, 3) == 0)
            return mixed_compare_texts(mixed, expression, c,
                                       (winnow_compare)draw_next(seed, 6),
                                       (unsigned)draw_next(seed, MIXED_TEXTS));
        text_rule_random(&rule, &like, seed);
        leaf = mixed_text(mixed, expression, c, &rule);
        text_rule_free(&rule);
        return leaf;
    }
    if (column >= table) {
        struct wide_rule rule;

        wide_rule_random(&rule, &mixed->wides[column - table], mixed->n, seed);
        return mixed_wide(mixed, expression, column - table, &rule);
    }
    if (mixed->table.pools[column].type != WINNOW_BIT &&
        draw_next(seed, 2) == 0)
        return number_set(mixed, expression, column, seed);
    return expression_random_leaf(expression, mixed->table.pools, table, seed);
}

void mixed_random(struct mixed *mixed, struct expression *expression,
                  unsigned leaves, uint64_t seed) {
    mixed_clear(mixed);
    expression_random_of(expression, random_leaf, mixed, leaves, seed);
}

/* -------------------------------------------------------------------- calls */

bool mixed_check(struct mixed *mixed, const struct expression *expression,
                 const winnow_condition *condition, uint64_t limit,
                 struct report *report) {
    const struct backend *const backend = mixed->backend;
    struct table *const table = &mixed->table;
    struct selected *const selected = &table->selected;
    winnow_launch launch = {.size = sizeof(launch), .stream = backend->stream};
    winnow_in columns[MIXED_COLUMNS];

    for (unsigned c = 0; c < mixed_columns(mixed); c++)
        columns[c] = mixed_column(mixed, c);
    if (limit != UINT64_MAX) {
        backend_upload(backend, table->d_n, &limit, sizeof(limit));
        launch.d_n = table->d_n;
    }
    selected_prepare(selected, mixed->n);
    if (winnow_select_where(backend->context, condition, columns,
                            mixed_columns(mixed), mixed->n,
                            selected->d_selection, selected->bytes,
                            &launch) != WINNOW_OK)
        return report_fail(report, "%s", winnow_last_error());
    expression_keep(expression, table->bits, mixed->is_null, mixed->n, limit,
                    table->keep);
    return selected_check(selected, table->keep, report);
}
