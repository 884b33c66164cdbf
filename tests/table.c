/*
 * SPDX-License-Identifier: Apache-2.0
 */
#include "table.h"

#include <stdlib.h>
#include <string.h>

#include "data.h"
#include "element.h"

static struct layout layout_forwards(winnow_type type, uint64_t seed) {
    const size_t size = element_size(type);

    switch (draw_next(&seed, 5)) {
    case 0:
        return (struct layout){0};
    case 1: /* side by side, off the vectors */
        return (struct layout){.offset = size * draw_next(&seed, 16),
                               .stride = size * draw_next(&seed, 2)};
    case 2: /* side by side, and not aligned */
        return (struct layout){.front = draw_next(&seed, 16)};
    case 3: { /* aligned fields */
        const size_t fields = 1 + draw_next(&seed, 9);

        return (struct layout){.stride = size * fields,
                               .offset = size * draw_next(&seed, fields)};
    }
    default: /* any; elements may share bytes, if the stride is small */
        return (struct layout){.stride = size + draw_next(&seed, 40),
                               .offset = draw_next(&seed, 30),
                               .front = draw_next(&seed, 16)};
    }
}

struct layout layout_random(winnow_type type, uint64_t seed) {
    struct layout layout;

    if (type == WINNOW_BIT)
        return (struct layout){.offset = draw_next(&seed, 100),
                               .front = draw_next(&seed, 16)};
    layout = layout_forwards(type, seed);
    layout.backwards = data_random(seed, 77) % 3 == 0;
    return layout;
}

static size_t stride_of(const struct table *table, unsigned column) {
    if (table->pools[column].type == WINNOW_BIT)
        return 0;
    return table->layouts[column].stride != 0
               ? table->layouts[column].stride
               : element_size(table->pools[column].type);
}

static size_t bytes_of(const struct table *table, unsigned column, uint64_t n) {
    if (table->pools[column].type == WINNOW_BIT)
        return table->layouts[column].front +
               (table->layouts[column].offset + n + 7) / 8;
    return table->layouts[column].front + table->layouts[column].offset +
           n * stride_of(table, column);
}

static size_t valid_bytes_of(const struct table *table, unsigned column,
                             uint64_t n) {
    return (table->layouts[column].valid_offset + n + 7) / 8;
}

void table_random(struct table *table, unsigned columns, uint64_t seed) {
    *table = (struct table){.columns = columns};
    for (unsigned c = 0; c < columns; c++) {
        const uint64_t draw = draw_next(&seed, ELEMENT_TYPES + 2);
        const winnow_type type =
            draw < ELEMENT_TYPES ? element_type(draw) : WINNOW_BIT;

        pool_random(&table->pools[c], type, seed);
        table->layouts[c] = layout_random(type, seed + 1);
        table->layouts[c].nullable = draw_next(&seed, 2) != 0;
        table->layouts[c].valid_offset = draw_next(&seed, 300);
    }
}

void table_open(struct table *table, const struct backend *backend,
                uint64_t most) {
    table->backend = backend;
    table->most = most;
    for (unsigned c = 0; c < table->columns; c++) {
        region_open(&table->memory[c], backend, bytes_of(table, c, most) + 16);
        table->bits[c] = must_alloc((most + 1) * sizeof(uint64_t));
        region_open(&table->validity[c], backend,
                    valid_bytes_of(table, c, most) + 16);
        table->is_null[c] = must_alloc((most + 1) * sizeof(bool));
        memset(table->is_null[c], 0, (most + 1) * sizeof(bool));
    }
    table->d_n = backend_alloc(backend, sizeof(uint64_t));
    table->keep = must_alloc(most + 1);
    selected_open(&table->selected, backend, most);
}

void table_close(struct table *table) {
    for (unsigned c = 0; c < table->columns; c++) {
        region_close(&table->memory[c]);
        free(table->bits[c]);
        region_close(&table->validity[c]);
        free(table->is_null[c]);
    }
    backend_free(table->backend, table->d_n);
    free(table->keep);
    selected_close(&table->selected);
}

static void put_bit(unsigned char *bytes, uint64_t place, uint64_t bit) {
    const unsigned char mask = (unsigned char)(1 << place % 8);

    bytes[place / 8] = (unsigned char)(bit ? bytes[place / 8] | mask
                                           : bytes[place / 8] & ~mask);
}

static void fill_column(struct table *table, unsigned c, uint64_t n,
                        uint64_t run, uint64_t seed) {
    const struct pool *const pool = &table->pools[c];
    const size_t bytes = bytes_of(table, c, n);
    unsigned char *const rows = must_alloc(bytes + 1);
    const size_t first = table->layouts[c].front + table->layouts[c].offset;

    memset(rows, 0xa5, bytes + 1);
    for (uint64_t i = 0; i < n; i++) {
        const uint64_t bits =
            pool->bits[data_random(seed, i / run) % CONDITION_POOL];

        const uint64_t place = table->layouts[c].backwards ? n - 1 - i : i;

        if (pool->type == WINNOW_BIT)
            put_bit(rows + table->layouts[c].front,
                    table->layouts[c].offset + i, bits);
        else
            element_store(pool->type,
                          rows + first + place * stride_of(table, c), bits);
        table->bits[c][i] = bits;
    }
    region_poison(&table->memory[c], table->memory[c].bytes);
    region_write(&table->memory[c], 0, rows, bytes);
    free(rows);
}

/* Of some columns few elements are null, of others most; in runs. */
static void fill_validity(struct table *table, unsigned c, uint64_t n,
                          uint64_t run, uint64_t seed) {
    const size_t bytes = valid_bytes_of(table, c, n);
    unsigned char *const valid = must_alloc(bytes + 1);
    const uint64_t share = (uint64_t[]){1, 5, 9, 10}[data_random(seed, 5) % 4];

    memset(valid, 0x5a, bytes + 1);
    for (uint64_t i = 0; i < n; i++) {
        const bool is_valid = data_random(seed, i / run) % 10 < share;

        put_bit(valid, table->layouts[c].valid_offset + i, is_valid);
        table->is_null[c][i] = !is_valid;
    }
    region_poison(&table->validity[c], table->validity[c].bytes);
    region_write(&table->validity[c], 0, valid, bytes);
    free(valid);
}

void table_fill(struct table *table, uint64_t n, uint64_t run, uint64_t seed) {
    for (unsigned c = 0; c < table->columns; c++) {
        fill_column(table, c, n, run, seed + 100 * c);
        if (table->layouts[c].nullable)
            fill_validity(table, c, n, 1 + run / 3, seed + 100 * c + 7);
    }
}

static winnow_in values_column(const struct table *table, unsigned column,
                               uint64_t n) {
    const struct layout *const layout = &table->layouts[column];
    const size_t stride = stride_of(table, column);
    const unsigned char *const first =
        table->pools[column].type == WINNOW_BIT
            ? table->memory[column].base + layout->front
            : table->memory[column].base + layout->front + layout->offset;

    if (table->pools[column].type == WINNOW_BIT)
        return (winnow_in){
            .type = WINNOW_BIT, .d_base = first, .offset = layout->offset};
    if (!layout->backwards)
        return (winnow_in){.type = table->pools[column].type,
                           .d_base = first,
                           .stride_bytes = (int64_t)layout->stride};
    return (winnow_in){.type = table->pools[column].type,
                       .d_base = first + (n != 0 ? n - 1 : 0) * stride,
                       .stride_bytes = -(int64_t)stride};
}

winnow_in table_column(const struct table *table, unsigned column, uint64_t n) {
    winnow_in in = values_column(table, column, n);

    if (table->layouts[column].nullable) {
        in.d_valid = table->validity[column].base;
        in.valid_offset = table->layouts[column].valid_offset;
    }
    return in;
}

winnow_status table_select(struct table *table,
                           const winnow_condition *condition, uint64_t n,
                           uint64_t limit) {
    const struct backend *const backend = table->backend;
    winnow_launch launch = {.size = sizeof(launch), .stream = backend->stream};
    winnow_in columns[CONDITION_COLUMNS];

    for (unsigned c = 0; c < table->columns; c++)
        columns[c] = table_column(table, c, n);
    if (limit != UINT64_MAX) {
        backend_upload(backend, table->d_n, &limit, sizeof(limit));
        launch.d_n = table->d_n;
    }
    selected_prepare(&table->selected, n);
    return winnow_select_where(backend->context, condition, columns,
                               table->columns, n, table->selected.d_selection,
                               table->selected.bytes, &launch);
}

bool table_check(struct table *table, const struct expression *expression,
                 uint64_t n, uint64_t limit, struct report *report) {
    expression_keep(expression, table->bits, table->is_null, n, limit,
                    table->keep);
    return selected_check(&table->selected, table->keep, report);
}
