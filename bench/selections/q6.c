/*
 * Query 6 of TPC-H. In one call, winnow_reduce_where(); and as examples/q6.c
 * answers it: a condition over three columns, all four columns packed, and their
 * products added up. The columns are packed by a selection, which is measured
 * alone, too; or in one call.
 *
 * How many rows there are is known on the device, and needed on the host to add
 * up that many: so winnow's way and CUB's both wait for it once, in the time
 * that is measured.
 *
 * winnow_reduce_where() is compiled where NVRTC is, and measured as it is
 * interpreted as well: by a call with a workspace, for which no plan was made.
 *
 * To be moved: three columns of all rows, the condition's, and the prices of
 * the rows that pass; of winnow_reduce_where(), the pieces of 64 bytes that these
 * prices are in. Of the selection alone: three columns, and the selection.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "selections.h"

#include "../util.h"
#include "examples/lineitem.h"
#include "outcome.h"

#include <stdio.h>

/* 8766: 1994-01-01, 9131: 1995-01-01. */
static const char condition_text[] =
    "8766 <= ship_date < 9131 && 5 <= discount <= 7 && quantity < 24";

/* Of the columns in the order of the condition; the price is not in it. */
enum {
    SHIP_DATE,
    DISCOUNT,
    QUANTITY,
    PRICE,
    COLUMNS
};

typedef struct q6 {
    bench_lab *lab;
    const selections_cub *cub; /* or NULL */
    uint64_t n, kept;
    uint64_t pieces; /* of 64 bytes, of prices of rows that pass */
    int64_t revenue; /* in ten-thousandths */
    winnow_condition *condition;
    winnow_expression *price_times_discount;
    winnow_expression *discount_times_price; /* no plan compiles it */
    winnow_move columns[COLUMNS];
    int32_t *packed[PRICE]; /* what is expected of the condition's columns */
    void *d_selection;
    size_t selection_bytes;
    uint64_t *d_count;
    winnow_reduction *d_result; /* CUB's sum is in its place */
    winnow_launch copying, adding, reducing,
        interpreting; /* with their workspaces */
    uint8_t *d_flags;
    void *d_temp; /* CUB's */
    size_t temp_bytes;
} q6;

static uint64_t wait_for_count(const q6 *q) {
    uint64_t count;
    lab_fetch(q->lab, &count, q->d_count, sizeof count);
    return count;
}

static void take_tested(const q6 *q, winnow_in tested[PRICE]) {
    for (unsigned c = 0; c < PRICE; c++)
        tested[c] =
            (winnow_in){.type = WINNOW_INT32, .d_base = q->columns[c].d_in};
}

static void select_rows(void *state, winnow_stream stream) {
    const q6 *q = state;
    winnow_in tested[PRICE];
    take_tested(q, tested);
    bench_check(winnow_select_where(q->lab->run->context, q->condition, tested,
                                    PRICE, q->n, q->d_selection,
                                    q->selection_bytes,
                                    WINNOW_LAUNCH(.stream = stream)),
                "winnow_select_where");
}

static winnow_status call_copy(const void *state, const winnow_launch *launch) {
    const q6 *q = state;
    winnow_in tested[PRICE];
    take_tested(q, tested);
    return winnow_copy_where(q->lab->run->context, q->condition, tested, PRICE,
                             q->n, q->columns, COLUMNS, WINNOW_NO_LIMIT,
                             q->d_count, launch);
}

static winnow_status reduce_where(const q6 *q, const winnow_expression *product,
                                  const winnow_launch *launch) {
    const winnow_aggregate revenue = {.expression = product,
                                      .wanted = WINNOW_REDUCE_SUM};
    winnow_in columns[COLUMNS];
    take_tested(q, columns);
    columns[PRICE] =
        (winnow_in){.type = WINNOW_INT64, .d_base = q->columns[PRICE].d_in};
    return winnow_reduce_where(q->lab->run->context, q->condition, columns,
                               COLUMNS, q->n, &revenue, 1, q->d_result, launch);
}

static winnow_status call_reduce_where(const void *state,
                                       const winnow_launch *launch) {
    const q6 *q = state;
    return reduce_where(q, q->price_times_discount, launch);
}

static winnow_status call_interpreted(const void *state,
                                      const winnow_launch *launch) {
    const q6 *q = state;
    return reduce_where(q, q->discount_times_price, launch);
}

static void run_interpreted(void *state, winnow_stream stream) {
    const q6 *q = state;
    bench_enqueue(call_interpreted, "winnow_reduce_where", q, q->interpreting,
                  stream);
}

static void run_reduce_where(void *state, winnow_stream stream) {
    const q6 *q = state;
    bench_enqueue(call_reduce_where, "winnow_reduce_where", q, q->reducing,
                  stream);
}

typedef struct prices {
    const q6 *q;
    uint64_t n;
} prices;

static winnow_status call_reduce(const void *state,
                                 const winnow_launch *launch) {
    const prices *p = state;
    return winnow_reduce_if(p->q->lab->run->context, NULL, WINNOW_INT64,
                            p->q->columns[PRICE].d_out, p->n, WINNOW_REDUCE_SUM,
                            p->q->d_result, launch);
}

static void add_up(const q6 *q, winnow_stream stream) {
    const prices packed = {q, wait_for_count(q)};
    q->lab->run->platform.multiply(
        q->columns[PRICE].d_out, q->columns[DISCOUNT].d_out, packed.n, stream);
    bench_enqueue(call_reduce, "winnow_reduce_if", &packed, q->adding, stream);
}

static void pack_and_add_up(const q6 *q, winnow_stream stream) {
    bench_check(winnow_compact_columns(q->lab->run->context, q->d_selection,
                                       q->n, q->columns, COLUMNS,
                                       WINNOW_NO_LIMIT, q->d_count,
                                       WINNOW_LAUNCH(.stream = stream)),
                "winnow_compact_columns");
    add_up(q, stream);
}

static void run_query(void *state, winnow_stream stream) {
    select_rows(state, stream);
    pack_and_add_up(state, stream);
}

static void run_in_one_call(void *state, winnow_stream stream) {
    const q6 *q = state;
    bench_enqueue(call_copy, "winnow_copy_where", q, q->copying, stream);
    add_up(q, stream);
}

static void pack_with_cub(q6 *q, unsigned c, void *d_temp, size_t *temp_bytes_p,
                          winnow_stream stream) {
    const winnow_move *const column = &q->columns[c];
    selections_must(q->cub->flagged(c == PRICE ? WINNOW_INT64 : WINNOW_INT32,
                                    q->d_flags, d_temp, temp_bytes_p,
                                    column->d_in, q->n, column->d_out,
                                    q->d_count, stream),
                    "cub::DeviceSelect::Flagged");
}

static void add_up_with_cub(q6 *q, uint64_t n, void *d_temp,
                            size_t *temp_bytes_p, winnow_stream stream) {
    selections_must(q->cub->product_sum(d_temp, temp_bytes_p,
                                        q->columns[PRICE].d_out,
                                        q->columns[DISCOUNT].d_out, n,
                                        &q->d_result->sum.int64, stream),
                    "cub::DeviceReduce::Sum");
}

static void sum_with_cub(q6 *q, void *d_temp, size_t *temp_bytes_p,
                         winnow_stream stream) {
    selections_must(
        q->cub->q6_sum(d_temp, temp_bytes_p, q->columns[SHIP_DATE].d_in,
                       q->columns[DISCOUNT].d_in, q->columns[QUANTITY].d_in,
                       q->columns[PRICE].d_in, q->n, &q->d_result->sum.int64,
                       stream),
        "cub::DeviceReduce::Sum");
}

static void run_fused_cub(void *state, winnow_stream stream) {
    q6 *q = state;
    sum_with_cub(q, q->d_temp, &q->temp_bytes, stream);
}

static void run_cub(void *state, winnow_stream stream) {
    q6 *q = state;
    selections_must(
        q->cub->q6_flags(q->columns[SHIP_DATE].d_in, q->columns[DISCOUNT].d_in,
                         q->columns[QUANTITY].d_in, q->n, q->d_flags, stream),
        "flags");
    for (unsigned c = 0; c < COLUMNS; c++)
        pack_with_cub(q, c, q->d_temp, &q->temp_bytes, stream);
    add_up_with_cub(q, wait_for_count(q), q->d_temp, &q->temp_bytes, stream);
}

/* ------------------------------------------------------------------ results */

static bool right(void *state) {
    const q6 *q = state;
    bool all_right =
        selections_same(q->lab, q->d_count, &q->kept, sizeof q->kept);
    for (unsigned c = 0; c < PRICE; c++)
        if (!selections_same(q->lab, q->columns[c].d_out, q->packed[c],
                             q->kept * sizeof(int32_t)))
            all_right = false;
    return selections_same(q->lab, &q->d_result->sum.int64, &q->revenue,
                           sizeof q->revenue) &&
           all_right;
}

static bool right_sum(void *state) {
    const q6 *q = state;
    return selections_same(q->lab, &q->d_result->count, &q->kept,
                           sizeof q->kept) &&
           selections_same(q->lab, &q->d_result->sum.int64, &q->revenue,
                           sizeof q->revenue);
}

static bool right_revenue(void *state) {
    const q6 *q = state;
    return selections_same(q->lab, &q->d_result->sum.int64, &q->revenue,
                           sizeof q->revenue);
}

/* A selection is right if the query's outcome is, by it. */
static bool right_selection(void *state) {
    const q6 *q = state;
    const bench_platform *const platform = &q->lab->run->platform;
    pack_and_add_up(q, platform->stream);
    platform->poison(q->d_selection, q->selection_bytes);
    return right(state);
}

/* By the host's reckoning. */
static void expect(q6 *q, const struct lineitem *table) {
    const int32_t *const in[PRICE] = {table->ship_date, table->discount,
                                      table->quantity};
    for (unsigned c = 0; c < PRICE; c++)
        q->packed[c] = lab_host(q->lab, q->n * sizeof(int32_t));
    uint64_t last = UINT64_MAX; /* piece */
    for (uint64_t i = 0; i < q->n; i++) {
        if (table->ship_date[i] < 8766 || table->ship_date[i] >= 9131 ||
            table->discount[i] < 5 || table->discount[i] > 7 ||
            table->quantity[i] >= 24)
            continue;
        q->pieces += i / 8 != last;
        last = i / 8;
        q->revenue += table->extended_price[i] * table->discount[i];
        for (unsigned c = 0; c < PRICE; c++)
            q->packed[c][q->kept] = in[c][i];
        q->kept++;
    }
}

/* ------------------------------------------------------------------- inputs */

static void make_rows(q6 *q) {
    struct lineitem table;
    if (!lineitem_make(&table, q->n))
        bench_fail("no memory for the rows");
    const void *const in[COLUMNS] = {table.ship_date, table.discount,
                                     table.quantity, table.extended_price};
    for (unsigned c = 0; c < COLUMNS; c++) {
        const size_t size = c == PRICE ? sizeof(int64_t) : sizeof(int32_t);
        q->columns[c] =
            (winnow_move){.d_in = lab_send(q->lab, in[c], q->n * size),
                          .d_out = lab_device(q->lab, q->n * size),
                          .element_bytes = size};
    }
    expect(q, &table);
    lineitem_free(&table);
}

static void make_room(q6 *q) {
    const winnow_field fields[] = {{.name = "ship_date", .type = WINNOW_INT32},
                                   {.name = "discount", .type = WINNOW_INT32},
                                   {.name = "quantity", .type = WINNOW_INT32},
                                   {.name = "price", .type = WINNOW_INT64}};
    bench_check(
        winnow_condition_parse(&q->condition, fields, PRICE, condition_text),
        "winnow_condition_parse");
    bench_check(winnow_expression_parse(&q->price_times_discount, fields,
                                        COLUMNS, "price * discount"),
                "winnow_expression_parse");
    bench_check(winnow_expression_parse(&q->discount_times_price, fields,
                                        COLUMNS, "discount * price"),
                "winnow_expression_parse");
    bench_check(winnow_selection_bytes(q->n, &q->selection_bytes),
                "winnow_selection_bytes");
    q->d_selection = lab_device(q->lab, q->selection_bytes);
    q->d_count = lab_device(q->lab, sizeof *q->d_count);
    q->d_result = lab_device(q->lab, sizeof *q->d_result);
    q->copying = q->adding = q->reducing =
        (winnow_launch){.size = sizeof q->adding};
    lab_plan(q->lab, call_copy, "a plan of winnow_copy_where", q, &q->copying);
    lab_plan(q->lab, call_reduce_where, "a plan of winnow_reduce_where", q,
             &q->reducing);
    /* One has as many bytes as the other. */
    q->interpreting = (winnow_launch){
        .size = sizeof q->interpreting,
        .d_workspace = lab_device(q->lab, q->reducing.workspace_bytes),
        .workspace_bytes = q->reducing.workspace_bytes};
    lab_plan(q->lab, call_reduce, "a plan of winnow_reduce_if",
             &(prices){q, q->n}, &q->adding);
}

static void make_room_for_cub(q6 *q) {
    const winnow_stream stream = q->lab->run->platform.stream;
    size_t bytes = 0;
    q->d_flags = lab_device(q->lab, q->n);
    add_up_with_cub(q, q->n, NULL, &q->temp_bytes, stream);
    sum_with_cub(q, NULL, &bytes, stream);
    if (bytes > q->temp_bytes)
        q->temp_bytes = bytes;
    for (unsigned c = 0; c < COLUMNS; c++) {
        pack_with_cub(q, c, NULL, &bytes, stream);
        if (bytes > q->temp_bytes)
            q->temp_bytes = bytes;
    }
    q->d_temp = lab_device(q->lab, q->temp_bytes);
}

/* ---------------------------------------------------------------- measuring */

static void measure(q6 *q, const char *name, uint64_t bytes,
                    const lab_variant *variant) {
    lab_row row = {name, .n = q->n, .bytes = bytes, .results_p = &q->kept};
    row.copy_s = lab_copy(q->lab, bytes);
    lab_measure(q->lab, &row, variant);
}

static void measure_rows(bench_lab *lab, uint64_t rows) {
    q6 q = {.lab = lab, .cub = selections_cub_of(lab), .n = rows};
    char cub[64];
    make_rows(&q);
    make_room(&q);
    const uint64_t tested = PRICE * q.n * sizeof(int32_t);
    const uint64_t all = tested + q.kept * sizeof(int64_t);
    measure(&q, "winnow: reduce_where", tested + 64 * q.pieces,
            &(lab_variant){run_reduce_where, right_sum, &q, false});
    bench_set_compile(lab->run, WINNOW_COMPILE_READY);
    measure(&q, "winnow: reduce_where, interpreted", tested + 64 * q.pieces,
            &(lab_variant){run_interpreted, right_sum, &q, false});
    bench_set_compile(lab->run, WINNOW_COMPILE_BEFORE);
    measure(&q, "winnow: select only", tested + q.selection_bytes,
            &(lab_variant){select_rows, right_selection, &q, false});
    measure(&q, "winnow: select, compact, sum", all,
            &(lab_variant){run_query, right, &q, false});
    measure(&q, "winnow: copy_where, sum", all,
            &(lab_variant){run_in_one_call, right, &q, false});
    if (q.cub != NULL) {
        make_room_for_cub(&q);
        snprintf(cub, sizeof cub, "%s: flags, Flagged by column, Sum",
                 q.cub->name());
        measure(&q, cub, all, &(lab_variant){run_cub, right, &q, false});
        snprintf(cub, sizeof cub, "%s: Sum of a transform iterator",
                 q.cub->name());
        measure(&q, cub, tested + 64 * q.pieces,
                &(lab_variant){run_fused_cub, right_revenue, &q, false});
    }
    winnow_condition_destroy(q.condition);
    winnow_expression_destroy(q.price_times_discount);
    winnow_expression_destroy(q.discount_times_price);
    lab_free(lab);
}

void selections_q6(bench_lab *lab) {
    static const uint64_t usual[] = {10 * LINEITEM_ROWS};
    const uint64_t *sizes;
    const unsigned count = LAB_SIZES(lab, usual, &sizes);
    for (unsigned i = 0; i < count; i++)
        measure_rows(lab, sizes[i]);
}
