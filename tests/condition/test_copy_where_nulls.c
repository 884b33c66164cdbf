/*
 * winnow_copy_where with columns that have nulls: elements and validity are
 * packed by moves of their own, apart or in place, or left alone.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include <string.h>

#include "element.h"
#include "reduced.h"
#include "suite.h"
#include "table.h"

enum {
    COLUMNS = 4,
    MOVES = 2 * COLUMNS
};

/* What becomes of an array. */
enum way {
    STAYS = 0,
    APART = 1,
    IN_PLACE = 2
};

/* An array of a table's column, its elements or its validity. */
struct array {
    enum way way;
    struct region *in, own;
    winnow_type type; /* WINNOW_BIT: bits */
    size_t bytes;     /* of an element; 0 of bits */
    size_t at;        /* of item 0 in `in`: in bytes, or in bits */
    size_t out_at;    /* the same in the output */
};

static void draw_way(struct array *array, uint64_t *seed) {
    array->way = (enum way)draw_next(seed, 3);
    array->out_at = array->way == IN_PLACE ? array->at : draw_next(seed, 70);
}

static void draw_columns(struct table *table, uint64_t *seed) {
    *table = (struct table){.columns = COLUMNS};
    for (unsigned c = 0; c < COLUMNS; c++) {
        const uint64_t draw = draw_next(seed, ELEMENT_TYPES + 3);
        const winnow_type type =
            draw < ELEMENT_TYPES ? element_type(draw) : WINNOW_BIT;

        pool_random(&table->pools[c], type, *seed);
        table->layouts[c] = (struct layout){
            .offset = type == WINNOW_BIT ? draw_next(seed, 70) : 0,
            .front = draw_next(seed, 16),
            .nullable = c == 0 || draw_next(seed, 4) != 0,
            .valid_offset = draw_next(seed, 70)};
    }
}

/* Elements are first, each with its validity behind it. */
static void describe(struct table *table, struct array arrays[MOVES],
                     uint64_t *seed) {
    for (unsigned c = 0; c < COLUMNS; c++) {
        const struct layout *const layout = &table->layouts[c];
        const winnow_type type = table->pools[c].type;
        const bool is_bits = type == WINNOW_BIT;

        arrays[2 * c] = (struct array){
            .in = &table->memory[c],
            .type = type,
            .bytes = is_bits ? 0 : element_size(type),
            .at = is_bits ? 8 * layout->front + layout->offset : layout->front};
        arrays[2 * c + 1] = (struct array){.in = &table->validity[c],
                                           .type = WINNOW_BIT,
                                           .at = layout->valid_offset};
        draw_way(&arrays[2 * c], seed);
        if (layout->nullable)
            draw_way(&arrays[2 * c + 1], seed);
        else
            region_poison(&table->validity[c], table->validity[c].bytes);
    }
    arrays[0].way = arrays[1].way = IN_PLACE;
    arrays[0].out_at = arrays[0].at;
    arrays[1].out_at = arrays[1].at;
}

static struct region *out_of(struct array *array) {
    return array->way == IN_PLACE ? array->in : &array->own;
}

static winnow_move move_of(struct array *array) {
    const bool is_bits = array->type == WINNOW_BIT;
    unsigned char *const in = array->in->base, *const out = out_of(array)->base;

    return is_bits ? (winnow_move){.d_in = in,
                                   .d_out = out,
                                   .type = WINNOW_BIT,
                                   .in_offset = array->at,
                                   .out_offset = array->out_at}
                   : (winnow_move){.d_in = in + array->at,
                                   .d_out = out + array->out_at,
                                   .element_bytes = array->bytes};
}

/* Item `from` becomes item `to`. */
static void expect(struct array *array, uint64_t from, uint64_t to) {
    const unsigned char *const in = array->in->shadow;
    unsigned char *const out = out_of(array)->shadow;
    const size_t source = array->at + from, place = array->out_at + to;
    const unsigned char mask = (unsigned char)(1 << place % 8);

    if (array->type != WINNOW_BIT) {
        memmove(out + array->out_at + to * array->bytes,
                in + array->at + from * array->bytes, array->bytes);
        return;
    }
    if ((in[source / 8] >> source % 8 & 1) != 0)
        out[place / 8] |= mask;
    else
        out[place / 8] &= (unsigned char)~mask;
}

static bool check(struct region *region, const char *name,
                  struct report *report) {
    region_fetch(region, region->bytes);
    return region_untouched(region, name, 0, 0, region->bytes, report);
}

static void run(const struct backend *backend, uint64_t n, uint64_t seed) {
    struct table table;
    struct array arrays[MOVES];
    struct expression expression;
    winnow_condition *condition;
    winnow_in columns[COLUMNS];
    winnow_move moves[MOVES];
    unsigned number = 0;
    uint64_t at = 0, count = 0;

    draw_columns(&table, &seed);
    table_open(&table, backend, n);
    table_fill(&table, n, 1 + draw_next(&seed, 9), seed);
    describe(&table, arrays, &seed);
    expression_random(&expression, table.pools, COLUMNS,
                      1 + (unsigned)draw_next(&seed, 6), seed);
    condition = expression_create(&expression);
    for (unsigned c = 0; c < COLUMNS; c++)
        columns[c] = table_column(&table, c, n);
    for (unsigned a = 0; a < MOVES; a++) {
        region_open(&arrays[a].own, backend, n * 8 + 100);
        region_poison(&arrays[a].own, arrays[a].own.bytes);
        if (arrays[a].way != STAYS)
            moves[number++] = move_of(&arrays[a]);
    }
    cr_assert_eq(winnow_copy_where(backend->context, condition, columns,
                                   COLUMNS, n, moves, number, WINNOW_NO_LIMIT,
                                   table.d_n,
                                   WINNOW_LAUNCH(.stream = backend->stream)),
                 WINNOW_OK, "%s", winnow_last_error());
    cr_assert_null(backend_wait(backend));
    expression_keep(&expression, table.bits, table.is_null, n, UINT64_MAX,
                    table.keep);
    for (uint64_t i = 0; i < n; i++) {
        for (unsigned a = 0; table.keep[i] && a < MOVES; a++)
            if (arrays[a].way != STAYS)
                expect(&arrays[a], i, at);
        at += table.keep[i];
    }
    backend_download(backend, &count, table.d_n, sizeof(count));
    cr_assert_eq(count, at, "seed %llu", (unsigned long long)seed);
    for (unsigned a = 0; a < MOVES; a++) {
        MUST(check(arrays[a].in, "the input", report) &&
             check(&arrays[a].own, "the output", report));
        region_close(&arrays[a].own);
    }
    winnow_condition_destroy(condition);
    table_close(&table);
}

BACKEND_TEST(copy_where_nulls, random) {
    static const uint64_t edges[] = {0, 1, 33, 500, 4095, 4097, 9000};
    const unsigned trials = reduced_mode() ? 5 : 40;

    for (unsigned e = 0; e < 7; e++)
        for (unsigned t = 0; t < trials; t++)
            run(backend, edges[e], 7000 + 100 * e + t);
}
