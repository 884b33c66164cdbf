/*
 * Query 6 of TPC-H: how much a discount brought in,
 *
 *     select sum(l_extendedprice * l_discount) from lineitem
 *     where l_shipdate >= date '1994-01-01'
 *       and l_shipdate < date '1995-01-01'
 *       and l_discount between 0.05 and 0.07 and l_quantity < 24
 *
 * The condition and the product are texts, and one call adds the products of the
 * rows that pass. examples/sqlite/q6.c compares the outcome with SQLite's.
 *
 *     q6 [ROWS]
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdio.h>
#include <stdlib.h>
#include <winnow.h>

#include "lineitem.h"

/* A discount is in hundredths. */
static const char rows_text[] =
    "year(ship_date) = 1994 and discount between 5 and 7 and quantity < 24";
static const char revenue_text[] = "extended_price * discount";

/* tdD: days from 1970-01-01 on, as Arrow has dates. */
static const winnow_field fields[] = {
    {.name = "ship_date", .type = WINNOW_INT32, .format = "tdD"},
    {.name = "discount", .type = WINNOW_INT32},
    {.name = "quantity", .type = WINNOW_INT32},
    {.name = "extended_price", .type = WINNOW_INT64}};

static int failed(const char *what) {
    fprintf(stderr, "%s: %s\n", what, winnow_last_error());
    return 0;
}

static int ask(winnow_context *context, const struct lineitem *table,
               winnow_reduction *revenue) {
    const winnow_in columns[] = {
        {.type = WINNOW_INT32, .d_base = table->ship_date},
        {.type = WINNOW_INT32, .d_base = table->discount},
        {.type = WINNOW_INT32, .d_base = table->quantity},
        {.type = WINNOW_INT64, .d_base = table->extended_price}};
    winnow_condition *rows = NULL;
    winnow_expression *product = NULL;
    winnow_aggregate sum = {.wanted = WINNOW_REDUCE_SUM};
    int done = 0;

    if (winnow_condition_parse(&rows, fields, 4, rows_text))
        failed("the condition");
    else if (winnow_expression_parse(&product, fields, 4, revenue_text))
        failed("the expression");
    else {
        sum.expression = product;
        done = winnow_reduce_where(context, rows, columns, 4, table->rows, &sum,
                                   1, revenue, NULL) == WINNOW_OK ||
               failed("adding up");
    }
    winnow_expression_destroy(product);
    winnow_condition_destroy(rows);
    return done;
}

int main(int argc, char **argv) {
    const uint64_t rows = argc > 1 ? strtoull(argv[1], NULL, 10) : 600000;
    winnow_context *context = NULL;
    winnow_reduction revenue;
    struct lineitem table;
    int done = 0;

    if (!lineitem_make(&table, rows)) {
        fprintf(stderr, "no memory for %llu rows\n", (unsigned long long)rows);
        return 1;
    }
    if (winnow_context_create(&context, WINNOW_DEVICE_HOST))
        failed("winnow_context_create");
    else
        done = ask(context, &table, &revenue);
    /* In ten-thousandths: cents by hundredths. */
    if (done)
        printf("%llu of %llu rows, revenue %lld.%04d\n",
               (unsigned long long)revenue.count, (unsigned long long)rows,
               (long long)(revenue.sum.int64 / 10000),
               (int)(revenue.sum.int64 % 10000));
    winnow_context_destroy(context);
    lineitem_free(&table);
    return done ? 0 : 1;
}
