/*
 * winnow_reduce_where() by the public interface: sales as TPC-H's query 6 asks
 * for them, numbers of items around tiles, nulls, sums that overflow, the order of
 * floats beside winnow_reduce_if()'s, plans, and what is refused. And
 * winnow_accumulate_where().
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "aggregated.h"
#include "conditions.h"
#include "reduced.h"
#include "suite.h"

enum {
    COLUMNS = 5,
    MOST = 6 /* aggregates */
};

static const winnow_field fields[COLUMNS] = {
    {.name = "day", .type = WINNOW_INT32, .format = "tdD"},
    {.name = "price", .type = WINNOW_FLOAT64},
    {.name = "discount", .type = WINNOW_FLOAT32},
    {.name = "quantity", .type = WINNOW_INT16},
    {.name = "id", .type = WINNOW_UINT64}};

/* The host's copy and the backend's, whose first elements are `front` bytes into
 * their memory. */
struct sales {
    const struct backend *backend;
    uint64_t n;
    int32_t *day;
    double *price;
    float *discount;
    int16_t *quantity;
    uint64_t *id;
    bool *no_price; /* it is null */
    void *memory[COLUMNS], *validity;
    winnow_in in[COLUMNS];
    winnow_reduction *results;
    uint64_t *d_n;
};

static void place(struct sales *s, unsigned column, const void *from,
                  size_t size, size_t front) {
    s->memory[column] = backend_alloc(s->backend, s->n * size + front + 1);
    backend_upload(s->backend, (unsigned char *)s->memory[column] + front, from,
                   s->n * size);
    s->in[column] =
        (winnow_in){.type = fields[column].type,
                    .d_base = (unsigned char *)s->memory[column] + front};
}

static void place_validity(struct sales *s, unsigned offset) {
    unsigned char *const bits = must_alloc(s->n / 8 + 2);

    memset(bits, 0, s->n / 8 + 2);
    for (uint64_t i = 0; i < s->n; i++)
        if (!s->no_price[i])
            bits[(i + offset) / 8] |= (unsigned char)(1u << (i + offset) % 8);
    s->validity = backend_alloc(s->backend, s->n / 8 + 2);
    backend_upload(s->backend, s->validity, bits, s->n / 8 + 2);
    s->in[1].d_valid = s->validity;
    s->in[1].valid_offset = offset;
    free(bits);
}

static void sales_open(struct sales *s, const struct backend *backend,
                       uint64_t n, bool nulls, size_t front, uint64_t seed) {
    memset(s, 0, sizeof *s);
    s->backend = backend;
    s->n = n;
    s->day = must_alloc(n * sizeof *s->day + 1);
    s->price = must_alloc(n * sizeof *s->price + 1);
    s->discount = must_alloc(n * sizeof *s->discount + 1);
    s->quantity = must_alloc(n * sizeof *s->quantity + 1);
    s->id = must_alloc(n * sizeof *s->id + 1);
    s->no_price = must_alloc(n + 1);
    for (uint64_t i = 0; i < n; i++) {
        s->day[i] = 8000 + (int32_t)draw_next(&seed, 2500);
        s->price[i] = (double)draw_next(&seed, 10000000) / 100;
        s->discount[i] = (float)draw_next(&seed, 11) / 100;
        s->quantity[i] = (int16_t)(1 + draw_next(&seed, 50));
        s->id[i] = draw_next(&seed, UINT64_MAX);
        s->no_price[i] = nulls && draw_next(&seed, 5) == 0;
    }
    place(s, 0, s->day, sizeof *s->day, front);
    place(s, 1, s->price, sizeof *s->price, front);
    place(s, 2, s->discount, sizeof *s->discount, front);
    place(s, 3, s->quantity, sizeof *s->quantity, front);
    place(s, 4, s->id, sizeof *s->id, front);
    if (nulls)
        place_validity(s, 1 + (unsigned)front);
    s->results = backend_alloc(backend, MOST * sizeof *s->results);
    s->d_n = backend_alloc(backend, sizeof *s->d_n);
}

static void sales_close(struct sales *s) {
    for (unsigned c = 0; c < COLUMNS; c++)
        backend_free(s->backend, s->memory[c]);
    if (s->validity != NULL)
        backend_free(s->backend, s->validity);
    backend_free(s->backend, s->results);
    backend_free(s->backend, s->d_n);
    free(s->day);
    free(s->price);
    free(s->discount);
    free(s->quantity);
    free(s->id);
    free(s->no_price);
}

static winnow_condition *parse_condition(const char *text) {
    winnow_condition *condition;

    cr_assert_eq(winnow_condition_parse(&condition, fields, COLUMNS, text),
                 WINNOW_OK, "%s", winnow_last_error());
    return condition;
}

static winnow_expression *parse(const char *text) {
    winnow_expression *expression;

    cr_assert_eq(winnow_expression_parse(&expression, fields, COLUMNS, text),
                 WINNOW_OK, "%s", winnow_last_error());
    return expression;
}

/* --------------------------------------------------------------------- sales */

static const char *const texts[MOST - 1] = {"price * discount", "quantity",
                                            "id", "-discount",
                                            "quantity // (quantity % 3)"};

/* In the tests' own words. */
static void value_of(const struct sales *s, unsigned text, uint64_t i,
                     struct aggregated_item *item) {
    switch (text) {
    case 0:
        item->counts &= !s->no_price[i];
        item->d = s->price[i] * (double)s->discount[i];
        break;
    case 1:
        item->i = s->quantity[i];
        break;
    case 2:
        item->i = s->id[i];
        break;
    case 3:
        item->d = (double)-s->discount[i];
        break;
    case 4:
        item->counts &= s->quantity[i] % 3 != 0;
        item->i =
            s->quantity[i] % 3 != 0 ? s->quantity[i] / (s->quantity[i] % 3) : 0;
        break;
    default: /* no expression */
        break;
    }
}

static bool passes(const struct sales *s, uint64_t i) {
    /* 1994-01-01 and 1995-01-01 */
    return s->day[i] >= 8766 && s->day[i] < 9131 && s->discount[i] >= 0.05f &&
           s->discount[i] <= 0.07f && s->quantity[i] < 24;
}

static void check_sales(const struct sales *s,
                        const winnow_condition *condition,
                        winnow_expression *const expressions[],
                        uint64_t limit) {
    static const enum aggregated_kind kinds[MOST] = {
        AGGREGATED_FLOATS, AGGREGATED_SIGNED, AGGREGATED_UNSIGNED,
        AGGREGATED_FLOATS, AGGREGATED_SIGNED, AGGREGATED_SIGNED};
    winnow_aggregate list[MOST];
    winnow_reduction seen[MOST];
    struct aggregated_item *const items =
        must_alloc((s->n + 1) * sizeof *items);
    const unsigned all = 31;

    for (unsigned a = 0; a < MOST; a++)
        list[a] = (winnow_aggregate){
            .expression = a < MOST - 1 ? expressions[a] : NULL,
            .wanted = a < MOST - 1 ? all : WINNOW_REDUCE_COUNT};
    backend_upload(s->backend, s->d_n, &limit, sizeof limit);
    cr_assert_eq(winnow_reduce_where(
                     s->backend->context, condition, s->in, COLUMNS, s->n, list,
                     MOST, s->results,
                     WINNOW_LAUNCH(.stream = s->backend->stream,
                                   .d_n = limit == UINT64_MAX ? NULL : s->d_n)),
                 WINNOW_OK, "%s", winnow_last_error());
    cr_assert_null(backend_wait(s->backend));
    backend_download(s->backend, seen, s->results, sizeof seen);
    for (unsigned a = 0; a < MOST; a++) {
        winnow_reduction expected;

        for (uint64_t i = 0; i < s->n; i++) {
            items[i] = (struct aggregated_item){
                .counts = i < limit && (condition == NULL || passes(s, i))};
            value_of(s, a, i, &items[i]);
        }
        expected =
            aggregated_expected(items, s->n, kinds[a], list[a].wanted, 4096);
        MUST(aggregated_check(&seen[a], &expected, report));
    }
    free(items);
}

BACKEND_TEST(reduce_where, sales) {
    static const uint64_t sizes[] = {0,    1,    31,   33,   1023, 1024,
                                     4095, 4096, 4097, 8192, 50001};
    const size_t number = reduced_mode() ? 10 : 11;
    winnow_condition *const condition = parse_condition(
        "day >= date '1994-01-01' and day < date '1995-01-01' and "
        "discount between 0.05 and 0.07 and quantity < 24");
    winnow_expression *expressions[MOST - 1];

    for (unsigned a = 0; a < MOST - 1; a++)
        expressions[a] = parse(texts[a]);
    for (size_t i = 0; i < number; i++) {
        struct sales s;

        sales_open(&s, backend, sizes[i], i % 2 != 0, i % 4 * 3, 510 + i);
        check_sales(&s, condition, expressions, UINT64_MAX);
        check_sales(&s, NULL, expressions, UINT64_MAX);
        check_sales(&s, i % 2 != 0 ? condition : NULL, expressions,
                    sizes[i] / 2);
        check_sales(&s, condition, expressions, sizes[i] + 1);
        sales_close(&s);
    }
    winnow_condition_destroy(condition);
    for (unsigned a = 0; a < MOST - 1; a++)
        winnow_expression_destroy(expressions[a]);
}

/* ----------------------------------------------------- beside winnow_reduce_if() */

/* A column without a condition is what winnow_reduce_if() reduces. */
BACKEND_TEST(reduce_where, as_reduce_if) {
    const uint64_t n = reduced_mode() ? 9000 : 300000;
    struct sales s;
    winnow_expression *expression;
    winnow_reduction seen[2];

    sales_open(&s, backend, n, false, 0, 520);
    for (unsigned column = 0; column < COLUMNS; column++) {
        const winnow_launch *const launch =
            WINNOW_LAUNCH(.stream = backend->stream);
        winnow_aggregate list[1] = {{.wanted = 31}};

        cr_assert_eq(
            winnow_expression_column(&expression, column, fields[column].type),
            WINNOW_OK);
        list[0].expression = expression;
        cr_assert_eq(winnow_reduce_where(backend->context, NULL, s.in, COLUMNS,
                                         n, list, 1, &s.results[0], launch),
                     WINNOW_OK, "%s", winnow_last_error());
        cr_assert_eq(winnow_reduce_if(backend->context, NULL,
                                      fields[column].type, s.in[column].d_base,
                                      n, 31, &s.results[1], launch),
                     WINNOW_OK);
        cr_assert_null(backend_wait(backend));
        backend_download(backend, seen, s.results, sizeof seen);
        if (fields[column].type == WINNOW_FLOAT32)
            seen[0].sum = seen[1].sum, seen[0].mean = seen[1].mean;
        MUST(aggregated_check(&seen[0], &seen[1], report));
        winnow_expression_destroy(expression);
    }
    sales_close(&s);
}

/* Integers at an end of what 64 bits hold; floats that are no numbers. */
BACKEND_TEST(reduce_where, extremes) {
    const uint64_t n = 5000;
    static const int64_t integers[] = {INT64_MIN, INT64_MAX, -1, 0};
    static const double floats[] = {NAN, -0.0, 0.0, INFINITY};
    const winnow_field two[] = {{.name = "i", .type = WINNOW_INT64},
                                {.name = "u", .type = WINNOW_UINT64},
                                {.name = "d", .type = WINNOW_FLOAT64}};
    struct aggregated_item *const items = must_alloc(n * sizeof *items);
    uint64_t *const elements = must_alloc(n * sizeof *elements);
    uint64_t *const d_in = backend_alloc(backend, n * sizeof *elements);
    winnow_reduction *const result = backend_alloc(backend, sizeof *result);

    for (unsigned v = 0; v < 16; v++)
        for (unsigned type = 0; type < 3; type++) {
            const winnow_in in[3] = {{.type = WINNOW_INT64, .d_base = d_in},
                                     {.type = WINNOW_UINT64, .d_base = d_in},
                                     {.type = WINNOW_FLOAT64, .d_base = d_in}};
            winnow_aggregate list[1] = {{.wanted = 31}};
            winnow_expression *expression;
            winnow_reduction seen, expected;

            for (uint64_t i = 0; i < n; i++) {
                const unsigned which = i % 3 == 0 ? v / 4 : v % 4;

                items[i] = (struct aggregated_item){.counts = true};
                if (type == 2) {
                    memcpy(&elements[i], &floats[which], sizeof elements[i]);
                    items[i].d = floats[which];
                } else {
                    elements[i] = (uint64_t)integers[which];
                    items[i].i = type == 0 ? (aggregated_integer)integers[which]
                                           : (aggregated_integer)elements[i];
                }
            }
            backend_upload(backend, d_in, elements, n * sizeof *elements);
            cr_assert_eq(
                winnow_expression_parse(&expression, two, 3, two[type].name),
                WINNOW_OK);
            list[0].expression = expression;
            cr_assert_eq(winnow_reduce_where(
                             backend->context, NULL, in, 3, n, list, 1, result,
                             WINNOW_LAUNCH(.stream = backend->stream)),
                         WINNOW_OK, "%s", winnow_last_error());
            cr_assert_null(backend_wait(backend));
            backend_download(backend, &seen, result, sizeof seen);
            expected = aggregated_expected(items, n, (enum aggregated_kind)type,
                                           31, 4096);
            MUST(aggregated_check(&seen, &expected, report));
            winnow_expression_destroy(expression);
        }
    backend_free(backend, d_in);
    backend_free(backend, result);
    free(elements);
    free(items);
}

/* Items with the last of all ranks, behind a word of items that do not count. */
BACKEND_TEST(reduce_where, late_extremes) {
    enum {
        N = 70
    };
    static const double floats[] = {NAN, INFINITY, -INFINITY};
    static const uint64_t integers[] = {0, UINT64_MAX, UINT64_C(1) << 63};
    static const winnow_field columns[] = {
        {.name = "i", .type = WINNOW_INT64},
        {.name = "u", .type = WINNOW_UINT64},
        {.name = "d", .type = WINNOW_FLOAT64},
        {.name = "late", .type = WINNOW_UINT64}};
    struct aggregated_item items[N] = {{0}};
    uint64_t elements[2 * N];
    uint64_t *const d_in = backend_alloc(backend, sizeof elements);
    winnow_reduction *const result = backend_alloc(backend, sizeof *result);
    winnow_condition *late;

    cr_assert_eq(winnow_condition_parse(&late, columns, 4, "late = 1"),
                 WINNOW_OK);
    for (unsigned v = 0; v < 9; v++) {
        const winnow_in in[] = {{.type = WINNOW_INT64, .d_base = d_in},
                                {.type = WINNOW_UINT64, .d_base = d_in},
                                {.type = WINNOW_FLOAT64, .d_base = d_in},
                                {.type = WINNOW_UINT64, .d_base = d_in + N}};
        winnow_aggregate list[1] = {{.wanted = 31}};
        winnow_expression *expression;
        winnow_reduction seen, expected;

        for (unsigned i = 0; i < N; i++) {
            items[i].counts = i >= 64;
            elements[N + i] = i >= 64;
            elements[i] = integers[v / 3];
            items[i].i = v % 3 == 0 ? (aggregated_integer)(int64_t)elements[i]
                                    : (aggregated_integer)elements[i];
            items[i].d = floats[v / 3];
            if (v % 3 == 2)
                memcpy(&elements[i], &items[i].d, sizeof elements[i]);
        }
        backend_upload(backend, d_in, elements, sizeof elements);
        cr_assert_eq(winnow_expression_parse(&expression, columns, 4,
                                             columns[v % 3].name),
                     WINNOW_OK);
        list[0].expression = expression;
        cr_assert_eq(winnow_reduce_where(
                         backend->context, late, in, 4, N, list, 1, result,
                         WINNOW_LAUNCH(.stream = backend->stream)),
                     WINNOW_OK, "%s", winnow_last_error());
        cr_assert_null(backend_wait(backend));
        backend_download(backend, &seen, result, sizeof seen);
        expected = aggregated_expected(items, N, (enum aggregated_kind)(v % 3),
                                       31, 4096);
        MUST(aggregated_check(&seen, &expected, report));
        winnow_expression_destroy(expression);
    }
    winnow_condition_destroy(late);
    backend_free(backend, d_in);
    backend_free(backend, result);
}

/* ------------------------------------------------------------------ sums by key */

/* By the ids' last digits, of quantities and days. */
static void check_accumulated(const struct sales *s, uint64_t limit) {
    enum {
        BOUND = 90
    };
    const struct backend *const backend = s->backend;
    uint32_t *const keys = must_alloc(s->n * sizeof *keys + 1);
    uint32_t *const d_keys = backend_alloc(backend, s->n * sizeof *keys + 1);
    int64_t wanted[2 * BOUND + 1] = {0}, seen[2 * BOUND + 1];
    int32_t *const values = must_alloc(2 * s->n * sizeof *values + 1);
    int32_t *const d_values =
        backend_alloc(backend, 2 * s->n * sizeof *values + 1);
    int64_t *const d_sums = backend_alloc(backend, sizeof seen);
    winnow_condition *const condition =
        parse_condition("quantity < 24 and discount >= 0.05");
    const winnow_in key = {.type = WINNOW_UINT32, .d_base = d_keys};
    const winnow_in in[2] = {{.type = WINNOW_INT32, .d_base = d_values},
                             {.type = WINNOW_INT32, .d_base = d_values + s->n}};
    const winnow_out sums[2] = {
        {.type = WINNOW_INT64, .d_base = d_sums},
        {.type = WINNOW_INT64, .d_base = d_sums + BOUND}};
    winnow_accumulation accumulation = {.keys = &key,
                                        .values = in,
                                        .sums = sums,
                                        .components = 2,
                                        .key_bound = BOUND};

    for (uint64_t i = 0; i < s->n; i++) {
        const bool counts =
            i < limit && s->quantity[i] < 24 && s->discount[i] >= 0.05f;

        keys[i] = (uint32_t)(s->id[i] % 100);
        values[i] = s->quantity[i];
        values[s->n + i] = -(int32_t)s->day[i];
        if (counts && keys[i] >= BOUND)
            wanted[2 * BOUND]++;
        else if (counts) {
            wanted[keys[i]] += values[i];
            wanted[BOUND + keys[i]] += values[s->n + i];
        }
    }
    memset(seen, 0, sizeof seen);
    backend_upload(backend, d_keys, keys, s->n * sizeof *keys);
    backend_upload(backend, d_values, values, 2 * s->n * sizeof *values);
    backend_upload(backend, d_sums, seen, sizeof seen);
    backend_upload(backend, s->d_n, &limit, sizeof limit);
    cr_assert_eq(winnow_accumulate_where(
                     backend->context, condition, s->in, COLUMNS, s->n,
                     &accumulation, (uint64_t *)d_sums + 2 * BOUND,
                     WINNOW_LAUNCH(.stream = backend->stream, .d_n = s->d_n)),
                 WINNOW_OK, "%s", winnow_last_error());
    cr_assert_null(backend_wait(backend));
    backend_download(backend, seen, d_sums, sizeof seen);
    cr_assert_eq(memcmp(seen, wanted, sizeof seen), 0);
    winnow_condition_destroy(condition);
    backend_free(backend, d_keys);
    backend_free(backend, d_values);
    backend_free(backend, d_sums);
    free(keys);
    free(values);
}

BACKEND_TEST(accumulate_where, sales) {
    static const uint64_t sizes[] = {0, 1, 100, 4097, 20000};

    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        struct sales s;

        sales_open(&s, backend, sizes[i], false, 0, 550 + i);
        check_accumulated(&s, sizes[i]);
        check_accumulated(&s, sizes[i] / 3);
        sales_close(&s);
    }
}

/* -------------------------------------------------------------------- plans */

/* With the workspace that a plan asks for, and no byte less. */
BACKEND_TEST(reduce_where, workspace) {
    struct sales s;
    winnow_plan plan = {.size = sizeof plan};
    winnow_condition *const condition =
        parse_condition("quantity < 24 and price * discount < 1000");
    winnow_expression *const revenue = parse("price * discount");
    const winnow_aggregate list[1] = {
        {.expression = revenue, .wanted = WINNOW_REDUCE_SUM}};
    const winnow_launch *const asked = WINNOW_LAUNCH(.plan = &plan);
    void *workspace;

    sales_open(&s, backend, 9000, true, 8, 530);
    cr_assert_eq(winnow_reduce_where(backend->context, condition, s.in, COLUMNS,
                                     s.n, list, 1, NULL, asked),
                 WINNOW_OK, "%s", winnow_last_error());
    workspace = backend_alloc(backend, plan.workspace_bytes + 1);
    /* Where there is NVRTC, a call with a workspace compiles nothing. */
    cr_assert_eq(winnow_condition_prepare(backend->context, condition),
                 WINNOW_OK, "%s", winnow_last_error());
    cr_assert_eq(
        winnow_reduce_where(
            backend->context, condition, s.in, COLUMNS, s.n, list, 1, s.results,
            WINNOW_LAUNCH(.stream = backend->stream, .d_workspace = workspace,
                          .workspace_bytes = plan.workspace_bytes)),
        WINNOW_OK, "%s", winnow_last_error());
    cr_assert_null(backend_wait(backend));
    if (plan.workspace_bytes > 1)
        cr_assert_eq(
            winnow_reduce_where(
                backend->context, condition, s.in, COLUMNS, s.n, list, 1,
                s.results,
                WINNOW_LAUNCH(.stream = backend->stream,
                              .d_workspace = workspace,
                              .workspace_bytes = plan.workspace_bytes - 1)),
            WINNOW_ERR_WORKSPACE);
    backend_free(backend, workspace);
    sales_close(&s);
    winnow_expression_destroy(revenue);
    winnow_condition_destroy(condition);
}

/* ------------------------------------------------------------------ refusals */

static void must_fail(winnow_status seen, winnow_status status,
                      const char *text) {
    cr_assert_eq(seen, status, "%s: %s", winnow_status_name(seen),
                 winnow_last_error());
    cr_assert(strstr(winnow_last_error(), text) != NULL, "no \"%s\" in \"%s\"",
              text, winnow_last_error());
}

BACKEND_TEST(reduce_where, refused) {
    struct sales s;
    winnow_expression *const price = parse("price"), *const id = parse("id");
    const winnow_reduction kept = {.count = 77};
    winnow_reduction seen;
    const struct wrong {
        winnow_aggregate list[1];
        unsigned number, columns;
        winnow_status status;
        const char *text;
    } wrongs[] = {{{{price, 0, {0}}},
                   1,
                   COLUMNS,
                   WINNOW_ERR_ARGUMENT,
                   "aggregates[0].wanted is 0"},
                  {{{price, 64, {0}}},
                   1,
                   COLUMNS,
                   WINNOW_ERR_ARGUMENT,
                   "aggregates[0].wanted 0x40"},
                  {{{price, WINNOW_REDUCE_INDEX, {0}}},
                   1,
                   COLUMNS,
                   WINNOW_ERR_ARGUMENT,
                   "WINNOW_REDUCE_INDEX"},
                  {{{NULL, WINNOW_REDUCE_SUM, {0}}},
                   1,
                   COLUMNS,
                   WINNOW_ERR_ARGUMENT,
                   "aggregates[0].expression is NULL"},
                  {{{price, 1, {0, 1}}},
                   1,
                   COLUMNS,
                   WINNOW_ERR_ARGUMENT,
                   "aggregates[0].reserved[1]"},
                  {{{price, 1, {0}}},
                   0,
                   COLUMNS,
                   WINNOW_ERR_ARGUMENT,
                   "aggregate_count is 0"},
                  {{{price, 1, {0}}},
                   17,
                   COLUMNS,
                   WINNOW_ERR_ARGUMENT,
                   "aggregate_count is 17"},
                  {{{id, 1, {0}}}, 1, 4, WINNOW_ERR_ARGUMENT, "column 4"}};

    sales_open(&s, backend, 100, false, 0, 540);
    backend_upload(backend, s.results, &kept, sizeof kept);
    for (size_t i = 0; i < sizeof wrongs / sizeof wrongs[0]; i++)
        must_fail(winnow_reduce_where(backend->context, NULL, s.in,
                                      wrongs[i].columns, s.n, wrongs[i].list,
                                      wrongs[i].number, s.results,
                                      WINNOW_LAUNCH(.stream = backend->stream)),
                  wrongs[i].status, wrongs[i].text);
    must_fail(winnow_reduce_where(backend->context, NULL, s.in, COLUMNS, s.n,
                                  NULL, 1, s.results, NULL),
              WINNOW_ERR_ARGUMENT, "aggregates is NULL");
    s.in[4].type = WINNOW_INT64;
    must_fail(winnow_reduce_where(backend->context, NULL, s.in, COLUMNS, s.n,
                                  (winnow_aggregate[]){{id, 1, {0}}}, 1,
                                  s.results,
                                  WINNOW_LAUNCH(.stream = backend->stream)),
              WINNOW_ERR_ARGUMENT, "columns[4] is of int64");
    cr_assert_null(backend_wait(backend));
    backend_download(backend, &seen, s.results, sizeof seen);
    cr_assert_eq(seen.count, kept.count);
    sales_close(&s);
    winnow_expression_destroy(price);
    winnow_expression_destroy(id);
}

BACKEND_TEST(accumulate_where, refused) {
    const winnow_launch *const launch =
        WINNOW_LAUNCH(.stream = backend->stream);
    const winnow_in keys = {.type = WINNOW_UINT32};
    const winnow_in values = {.type = WINNOW_INT32, .stride_bytes = 8};
    const winnow_out sums = {.type = WINNOW_INT32};
    winnow_condition *const condition = parse_condition("quantity < 24");
    winnow_accumulation a = {
        .values = &values, .sums = &sums, .components = 1, .key_bound = 10};

    must_fail(winnow_accumulate_where(backend->context, condition, NULL, 0, 0,
                                      NULL, NULL, launch),
              WINNOW_ERR_ARGUMENT, "accumulation is NULL");
    must_fail(winnow_accumulate_where(backend->context, condition, NULL, 0, 0,
                                      &a, NULL, launch),
              WINNOW_ERR_ARGUMENT, "accumulation->keys is NULL");
    a.keys = &keys;
    must_fail(winnow_accumulate_where(backend->context, condition, NULL, 0, 0,
                                      &a, NULL, launch),
              WINNOW_ERR_UNSUPPORTED, "values[0].stride_bytes");
    a.reserved[1] = 1;
    must_fail(winnow_accumulate_where(backend->context, condition, NULL, 0, 0,
                                      &a, NULL, launch),
              WINNOW_ERR_ARGUMENT, "accumulation->reserved[1]");
    winnow_condition_destroy(condition);
}

/* What is no expression, with the place. */
Test(expression_parse, refused) {
    static const winnow_field some[] = {
        {.name = "a", .type = WINNOW_INT32},
        {.name = "flag", .type = WINNOW_BIT},
        {.name = "name", .type = WINNOW_STRING32},
        {.name = "wide", .type = WINNOW_INT128},
        {.name = "list", .type = WINNOW_OPAQUE}};
    static const struct {
        const char *text, *detail;
        winnow_status status;
    } wrongs[] = {
        {"a < 3", "line 1, column 1: found a condition, expected numbers",
         WINNOW_ERR_UNSUPPORTED},
        {" 1 + 2", "line 1, column 2: found a number", WINNOW_ERR_UNSUPPORTED},
        {"flag", "found booleans", WINNOW_ERR_UNSUPPORTED},
        {"name", "found strings", WINNOW_ERR_UNSUPPORTED},
        {"wide", "found int128", WINNOW_ERR_UNSUPPORTED},
        {"list", "list", WINNOW_ERR_UNSUPPORTED},
        {"a & 3", "found bits under a mask", WINNOW_ERR_UNSUPPORTED},
        {"null", "found null", WINNOW_ERR_UNSUPPORTED},
        {"a +", "found the end", WINNOW_ERR_SYNTAX},
        {"b", "b", WINNOW_ERR_SYNTAX}};
    static const char *const rights[] = {
        "a", "cast(flag as int64)", "length(name)", "a * 2.5", "a::float32"};
    static const winnow_type types[] = {WINNOW_INT64, WINNOW_INT64,
                                        WINNOW_INT64, WINNOW_FLOAT64,
                                        WINNOW_FLOAT32};
    winnow_expression *expression = NULL;

    for (size_t i = 0; i < sizeof wrongs / sizeof wrongs[0]; i++) {
        must_fail(winnow_expression_parse(&expression, some, 5, wrongs[i].text),
                  wrongs[i].status, wrongs[i].detail);
        cr_assert_null(expression);
    }
    for (size_t i = 0; i < sizeof rights / sizeof rights[0]; i++) {
        cr_assert_eq(winnow_expression_parse(&expression, some, 5, rights[i]),
                     WINNOW_OK, "%s", winnow_last_error());
        cr_assert_eq((int)winnow_expression_type(expression), (int)types[i]);
        winnow_expression_destroy(expression);
        expression = NULL;
    }
    must_fail(winnow_expression_column(&expression, 0, WINNOW_STRING32),
              WINNOW_ERR_UNSUPPORTED, "string32");
    must_fail(winnow_expression_column(&expression, 0, WINNOW_OPAQUE),
              WINNOW_ERR_ARGUMENT, "no type");
    must_fail(winnow_expression_column(&expression, 65536, WINNOW_INT8),
              WINNOW_ERR_UNSUPPORTED, "65536");
    must_fail(winnow_expression_column(NULL, 0, WINNOW_INT8),
              WINNOW_ERR_ARGUMENT, "expression_p");
    must_fail(winnow_expression_parse(&expression, NULL, 1, "a"),
              WINNOW_ERR_ARGUMENT, "fields");
    must_fail(winnow_expression_parse(&expression, some, 5, NULL),
              WINNOW_ERR_ARGUMENT, "text");
    cr_assert_eq((int)winnow_expression_type(NULL), (int)WINNOW_OPAQUE);
    winnow_expression_destroy(NULL);
}
