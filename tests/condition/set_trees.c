/*
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include "set_trees.h"

#include <stdlib.h>
#include <string.h>

#include "backend.h"
#include "conditions.h"
#include "core/type.h"
#include "set/set.h"

/* ------------------------------------------------------------------ columns */

static uint64_t mix(uint64_t x) {
    x = (x ^ x >> 31) * UINT64_C(0x7fb5d329728ea185);
    x = (x ^ x >> 27) * UINT64_C(0x81dadef4bc2dd44d);
    return x ^ x >> 33;
}

/* Value number j of a kind: anything; close together, around 0; apart, as
 * small numbers are as floats. */
static uint64_t value_of(const struct set_column *column, uint64_t j) {
    const uint64_t full = UINT64_MAX >> (64 - 8 * column->size);

    switch (column->kind) {
    case 0:
        return mix(j + 1) & full;
    case 1:
        return (3 * j - 100) & full;
    default:
        return (column->size == 1 ? j : j << (8 * column->size - 16)) & full;
    }
}

static void column_open(struct set_column *column,
                        const struct backend *backend, uint64_t n,
                        uint64_t seed) {
    static const winnow_type types[] = {WINNOW_UINT8, WINNOW_UINT16,
                                        WINNOW_UINT32, WINNOW_UINT32,
                                        WINNOW_UINT64};
    const unsigned layout = (unsigned)draw_next(&seed, 4);
    unsigned char *bytes;
    size_t offset;

    column->type = types[draw_next(&seed, 5)];
    column->size = (unsigned)winnow_type_size(column->type);
    column->kind = (unsigned)draw_next(&seed, 3);
    /* Side by side, two kinds of records, and bytes. */
    column->stride = column->size * (layout == 2 ? 3 : 1) + (layout == 3);
    offset = layout == 2 ? column->size : layout == 3 ? 1 : 0;
    column->bits = must_alloc(n * sizeof(uint64_t));
    bytes = must_alloc(n * column->stride + offset);
    memset(bytes, 0xa5, n * column->stride + offset);
    for (uint64_t i = 0; i < n; i++) {
        column->bits[i] = value_of(column, draw_next(&seed, column->values));
        memcpy(bytes + offset + i * column->stride, &column->bits[i],
               column->size);
    }
    column->d_bytes = backend_alloc(backend, n * column->stride + offset);
    backend_upload(backend, column->d_bytes, bytes,
                   n * column->stride + offset);
    column->in = (winnow_in){.type = column->type,
                             .d_base = column->d_bytes + offset,
                             .stride_bytes = (int64_t)column->stride};
    free(bytes);
}

void set_table_open(struct set_table *table, const struct backend *backend,
                    uint64_t n, uint64_t values, uint64_t seed) {
    *table = (struct set_table){.backend = backend, .n = n};
    for (unsigned c = 0; c < SET_COLUMNS; c++) {
        table->columns[c].values = 2 * values;
        column_open(&table->columns[c], backend, n, seed + 100 * c);
    }
    selected_open(&table->selected, backend, n);
    table->d_n = backend_alloc(backend, sizeof(uint64_t));
}

void set_table_close(struct set_table *table) {
    backend_free(table->backend, table->d_n);
    selected_close(&table->selected);
    for (unsigned c = 0; c < SET_COLUMNS; c++) {
        backend_free(table->backend, table->columns[c].d_bytes);
        free(table->columns[c].bits);
    }
}

/* --------------------------------------------------------------- conditions */

static int compare(const void *a, const void *b) {
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return x < y ? -1 : x > y;
}

/* A condition of one leaf. */
static winnow_condition *create(const struct set_column *column,
                                unsigned number, uint64_t mask,
                                const void *elements, uint64_t values) {
    winnow_condition *made = winnow__condition_create(1, 1);
    winnow__node *const node = &made->nodes[0];

    *node = (winnow__node){.kind = WINNOW__NODE_SET,
                           .column = (uint16_t)number,
                           .type = winnow__type(column->type)};
    if (winnow__set_create(&node->set, &node->test, node->type, mask, elements,
                           values) != WINNOW_OK)
        abort();
    if (node->set == NULL)
        node->kind = WINNOW__NODE_TEST;
    if (winnow__condition_finish(made, &made) != WINNOW_OK)
        abort();
    return made;
}

winnow_condition *set_leaf(const struct set_table *table, unsigned column,
                           uint64_t number, uint64_t seed, uint8_t *keep) {
    const struct set_column *const from = &table->columns[column];
    const uint64_t full = UINT64_MAX >> (64 - 8 * from->size);
    const uint64_t mask =
        draw_next(&seed, 3) == 0 ? full & ~(draw_next(&seed, 8) << 4) : full;
    uint64_t *const sorted = must_alloc(number * sizeof(uint64_t));
    unsigned char *const elements = must_alloc(number * from->size);
    winnow_condition *condition;

    for (uint64_t i = 0; i < number; i++) {
        sorted[i] = value_of(from, draw_next(&seed, from->values)) & mask;
        memcpy(elements + i * from->size, &sorted[i], from->size);
    }
    qsort(sorted, number, sizeof(uint64_t), compare);
    for (uint64_t i = 0; i < table->n; i++) {
        const uint64_t x = from->bits[i] & mask;

        keep[i] = bsearch(&x, sorted, number, sizeof x, compare) != NULL;
    }
    condition = create(from, column, mask, elements, number);
    free(elements);
    free(sorted);
    return condition;
}

/* The elements below one of the values. */
static winnow_condition *test_leaf(const struct set_table *table,
                                   unsigned column, uint64_t seed,
                                   uint8_t *keep) {
    const struct set_column *const from = &table->columns[column];
    const uint64_t bound = value_of(from, draw_next(&seed, from->values));
    winnow_predicate *predicate;
    winnow_condition *condition;

    if (winnow_predicate_compare(&predicate, from->type, WINNOW_LT, &bound) !=
            WINNOW_OK ||
        winnow_condition_test(&condition, column, predicate) != WINNOW_OK)
        abort();
    winnow_predicate_destroy(predicate);
    for (uint64_t i = 0; i < table->n; i++)
        keep[i] = from->bits[i] < bound;
    return condition;
}

/* a and b, or a or b, in place of a. */
static winnow_condition *join(winnow_condition *a, winnow_condition *b,
                              bool is_or, uint64_t n, uint8_t *keep,
                              const uint8_t *keep_b) {
    winnow_condition *both;

    if ((is_or ? winnow_condition_or : winnow_condition_and)(&both, a, b) !=
        WINNOW_OK)
        abort();
    for (uint64_t i = 0; i < n; i++)
        keep[i] = is_or ? keep[i] | keep_b[i] : keep[i] & keep_b[i];
    winnow_condition_destroy(a);
    winnow_condition_destroy(b);
    return both;
}

winnow_condition *set_tree(const struct set_table *table, unsigned leaves,
                           uint64_t number, uint64_t seed, uint8_t *keep) {
    const unsigned column = (unsigned)draw_next(&seed, SET_COLUMNS);
    winnow_condition *made;

    if (leaves == 1) {
        made = draw_next(&seed, 4) == 0
                   ? test_leaf(table, column, seed, keep)
                   : set_leaf(table, column, number, seed, keep);
    } else {
        const unsigned left = 1 + (unsigned)draw_next(&seed, leaves - 1);
        uint8_t *const other = must_alloc(table->n);

        made = set_tree(table, left, number, seed + 1, keep);
        made =
            join(made, set_tree(table, leaves - left, number, seed + 2, other),
                 draw_next(&seed, 2) != 0, table->n, keep, other);
        free(other);
    }
    if (draw_next(&seed, 3) == 0) {
        winnow_condition *negated;

        if (winnow_condition_not(&negated, made) != WINNOW_OK)
            abort();
        winnow_condition_destroy(made);
        made = negated;
        for (uint64_t i = 0; i < table->n; i++)
            keep[i] ^= 1;
    }
    return made;
}

/* -------------------------------------------------------------------- calls */

winnow_status set_select(struct set_table *table,
                         const winnow_condition *condition, uint64_t limit,
                         void *d_workspace) {
    const struct backend *const backend = table->backend;
    winnow_in columns[SET_COLUMNS];
    const winnow_launch launch = {
        .size = sizeof launch,
        .stream = backend->stream,
        .d_n = limit != UINT64_MAX ? table->d_n : NULL,
        .d_workspace = d_workspace,
        .workspace_bytes = d_workspace != NULL ? 4096 : 0};

    for (unsigned c = 0; c < SET_COLUMNS; c++)
        columns[c] = table->columns[c].in;
    return winnow_select_where(
        backend->context, condition, columns, SET_COLUMNS, table->n,
        table->selected.d_selection, table->selected.bytes, &launch);
}

void set_ready(struct set_table *table, uint64_t limit) {
    backend_upload(table->backend, table->d_n, &limit, sizeof limit);
    selected_prepare(&table->selected, table->n);
}

bool set_check(struct set_table *table, const uint8_t *keep, uint64_t limit,
               struct report *report) {
    uint8_t *const kept = must_alloc(table->n + 1);
    bool right;

    for (uint64_t i = 0; i < table->n; i++)
        kept[i] = i < limit && keep[i];
    right = selected_check(&table->selected, kept, report);
    free(kept);
    return right;
}
