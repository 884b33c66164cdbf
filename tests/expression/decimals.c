/*
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include "decimals.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conditions.h"
#include "selected.h"
#include "suite.h"

/* ----------------------------------------------------------------- on paper */

struct decimal decimal_of(wide units, int scale) {
    struct decimal made = {.negative = units < 0, .scale = scale};
    unsigned_wide rest =
        units < 0 ? 0 - (unsigned_wide)units : (unsigned_wide)units;

    for (unsigned i = 0; rest != 0; rest /= 10)
        made.digit[i++] = (unsigned char)(rest % 10);
    return made;
}

struct decimal decimal_at_scale(const struct decimal *a, int scale) {
    const unsigned by = (unsigned)(scale - a->scale);
    struct decimal made = *a;

    made.scale = scale;
    memset(made.digit, 0, sizeof made.digit);
    memcpy(made.digit + by, a->digit, DECIMAL_DIGITS - by);
    return made;
}

static int finer_of(const struct decimal *a, const struct decimal *b) {
    return a->scale > b->scale ? a->scale : b->scale;
}

static int order_of_digits(const unsigned char *a, const unsigned char *b) {
    for (unsigned i = DECIMAL_DIGITS; i-- > 0;)
        if (a[i] != b[i])
            return a[i] < b[i] ? -1 : 1;
    return 0;
}

int decimal_order(const struct decimal *a, const struct decimal *b) {
    const struct decimal x = decimal_at_scale(a, finer_of(a, b));
    const struct decimal y = decimal_at_scale(b, finer_of(a, b));
    static const unsigned char zero[DECIMAL_DIGITS];
    const int order = order_of_digits(x.digit, y.digit);
    const bool are_zero = order == 0 && order_of_digits(x.digit, zero) == 0;

    if (x.negative != y.negative)
        return are_zero ? 0 : x.negative ? -1 : 1;
    return x.negative ? -order : order;
}

/* -------------------------------------------------------------------- table */

/* 0: an integer of the type. */
static const struct {
    winnow_type type;
    int precision, scale;
} kinds[DECIMAL_COLUMNS] = {
    {WINNOW_INT64, 18, 2},   {WINNOW_INT32, 9, 4},    {WINNOW_INT128, 12, 2},
    {WINNOW_INT128, 18, 0},  {WINNOW_INT128, 20, 2},  {WINNOW_INT128, 38, 0},
    {WINNOW_INT128, 38, 38}, {WINNOW_INT128, 38, 19}, {WINNOW_INT64, 5, -3},
    {WINNOW_INT128, 30, -4}, {WINNOW_INT8, 0, 0},     {WINNOW_INT32, 0, 0},
    {WINNOW_INT64, 0, 0},    {WINNOW_UINT64, 0, 0}};

static wide power(int digits) {
    unsigned_wide made = 1;

    while (digits-- > 0)
        made *= 10;
    return (wide)made;
}

static wide lowest(winnow_type type) {
    return type == WINNOW_UINT64
               ? 0
               : -((wide)1 << (8 * winnow_type_size(type) - 2)) * 2;
}

static wide highest(winnow_type type) {
    return type == WINNOW_UINT64 ? (wide)UINT64_MAX : -(lowest(type) + 1);
}

/* An element of a column, one that is near to `near` of whole units, at an end, or
 * any; in the range of its type. */
static wide draw_units(const struct decimal_column *column, wide near,
                       uint64_t *seed) {
    const wide most = column->precision == 0 ? highest(column->type)
                                             : power(column->precision) - 1;
    const wide any = (wide)((unsigned_wide)draw_next(seed, UINT64_MAX) << 64 |
                            draw_next(seed, UINT64_MAX));
    wide made;

    switch (draw_next(seed, 8)) {
    case 0:
        made = most;
        break;
    case 1:
        made = -most;
        break;
    case 2:
        made = (wide)((unsigned_wide)most + draw_next(seed, 3));
        break;
    case 3:
    case 4:
        made = any >> draw_next(seed, 127);
        break;
    default:
        /* What has too many digits wraps, and is any number. */
        made = column->scale >= 0 ? (wide)((unsigned_wide)near *
                                           (unsigned_wide)power(column->scale))
                                  : near / power(-column->scale);
        made = (wide)((unsigned_wide)made + draw_next(seed, 3) - 1);
    }
    return made < lowest(column->type)    ? lowest(column->type)
           : made > highest(column->type) ? highest(column->type)
                                          : made;
}

static struct decimal value_of(const struct decimal_column *column,
                               wide units) {
    struct decimal made = decimal_of(units, column->scale);
    const wide most = power(column->precision);

    made.null = column->precision != 0 && (units >= most || units <= -most);
    return made;
}

static void open_column(struct decimal_table *table, unsigned c,
                        const wide *near, uint64_t *seed) {
    struct decimal_column *const column = &table->column[c];
    const size_t size = winnow_type_size(kinds[c].type);
    const size_t bits = (size_t)table->n / 8 + 1;
    unsigned char *const elements = must_alloc(table->n * size);
    unsigned char *const valid = must_alloc(bits);

    column->type = kinds[c].type;
    column->precision = kinds[c].precision;
    column->scale = kinds[c].scale;
    column->digits = column->precision != 0          ? column->precision
                     : column->type == WINNOW_INT8   ? 3
                     : column->type == WINNOW_INT32  ? 10
                     : column->type == WINNOW_UINT64 ? 20
                                                     : 19;
    column->values = must_alloc(table->n * sizeof column->values[0]);
    for (uint64_t i = 0; i < bits; i++)
        valid[i] = (unsigned char)(draw_next(seed, 256) | draw_next(seed, 256));
    for (uint64_t i = 0; i < table->n; i++) {
        const wide units = draw_units(column, near[i], seed);
        memcpy(elements + i * size, &units, size); /* little-endian */
        column->values[i] = value_of(column, units);
        column->values[i].null |=
            c % 2 == 1 && (valid[i / 8] >> i % 8 & 1) == 0;
    }
    column->d_memory = backend_alloc(table->backend, table->n * size);
    column->d_valid = backend_alloc(table->backend, bits);
    backend_upload(table->backend, column->d_memory, elements, table->n * size);
    backend_upload(table->backend, column->d_valid, valid, bits);
    snprintf(column->name, sizeof column->name, "c%u", c);
    snprintf(column->format, sizeof column->format, "d:%d,%d,%u",
             column->precision, column->scale, 8 * (unsigned)size);
    table->fields[c] = (winnow_field){
        .name = column->name,
        .type = column->type,
        .format = column->precision == 0 ? NULL : column->format};
    table->in[c] = (winnow_in){.type = column->type,
                               .d_base = column->d_memory,
                               .d_valid = c % 2 == 1 ? column->d_valid : NULL};
    free(elements);
    free(valid);
}

void decimal_table_open(struct decimal_table *table,
                        const struct backend *backend, uint64_t n,
                        uint64_t seed) {
    wide *const near = must_alloc(n * sizeof near[0]);

    *table = (struct decimal_table){.backend = backend, .n = n};
    for (uint64_t i = 0; i < n; i++) {
        const unsigned digits = (unsigned)draw_next(&seed, 5);
        near[i] = (wide)draw_next(&seed, (uint64_t)power((int)digits) + 1) -
                  (wide)draw_next(&seed, 10);
    }
    for (unsigned c = 0; c < DECIMAL_COLUMNS; c++)
        open_column(table, c, near, &seed);
    free(near);
}

void decimal_table_close(struct decimal_table *table) {
    for (unsigned c = 0; c < DECIMAL_COLUMNS; c++) {
        backend_free(table->backend, table->column[c].d_memory);
        backend_free(table->backend, table->column[c].d_valid);
        free(table->column[c].values);
    }
}

/* --------------------------------------------------------------- conditions */

static const char *const signs[] = {
    [WINNOW_LT] = "<",  [WINNOW_LE] = "<=", [WINNOW_EQ] = "=",
    [WINNOW_NE] = "<>", [WINNOW_GE] = ">=", [WINNOW_GT] = ">"};

void decimals_check_text(const struct backend *backend,
                         const winnow_field *fields, const winnow_in *in,
                         unsigned columns, uint64_t n, const char *text,
                         const uint8_t *keep) {
    struct report report = {{0}};
    winnow_condition *condition;
    struct selected selected;

    cr_assert_eq(winnow_condition_parse(&condition, fields, columns, text),
                 WINNOW_OK, "%s: %s", text, winnow_last_error());
    selected_open(&selected, backend, n);
    selected_prepare(&selected, n);
    cr_assert_eq(winnow_select_where(backend->context, condition, in, columns,
                                     n, selected.d_selection, selected.bytes,
                                     WINNOW_LAUNCH(.stream = backend->stream)),
                 WINNOW_OK, "%s: %s", text, winnow_last_error());
    cr_assert(selected_check(&selected, keep, &report), "%s: %s", text,
              report.text);
    selected_close(&selected);
    winnow_condition_destroy(condition);
}

/* Are the elements compared as decimals: is one such, and are they two? */
static bool are_decimals(const struct decimal_table *table, unsigned a,
                         unsigned b) {
    return a != b && table->column[a].precision + table->column[b].precision;
}

void decimals_check_comparisons(const struct decimal_table *table,
                                unsigned conditions, uint64_t seed) {
    uint8_t *const keep = must_alloc(table->n);

    for (unsigned made = 0; made < conditions;) {
        const unsigned a = (unsigned)draw_next(&seed, DECIMAL_COLUMNS);
        const unsigned b = (unsigned)draw_next(&seed, DECIMAL_COLUMNS);
        const winnow_compare compare = (winnow_compare)draw_next(&seed, 6);
        const bool negated = draw_next(&seed, 2) == 0;
        char text[64];

        if (!are_decimals(table, a, b))
            continue;
        snprintf(text, sizeof text, "%s(c%u %s c%u)", negated ? "not " : "", a,
                 signs[compare], b);
        for (uint64_t i = 0; i < table->n; i++) {
            const struct decimal *const x = &table->column[a].values[i];
            const struct decimal *const y = &table->column[b].values[i];
            keep[i] = !x->null && !y->null &&
                      wide_holds(decimal_order(x, y), compare, 0) != negated;
        }
        decimals_check_text(table->backend, table->fields, table->in,
                            DECIMAL_COLUMNS, table->n, text, keep);
        made++;
    }
    free(keep);
}
