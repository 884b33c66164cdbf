/*
 * Query 6 of TPC-H: how much a discount brought in,
 *
 *     select sum(l_extendedprice * l_discount) from lineitem
 *     where l_shipdate >= date '1994-01-01'
 *       and l_shipdate < date '1995-01-01'
 *       and l_discount between 0.05 and 0.07 and l_quantity < 24
 *
 * The condition is a text. The rows that pass are packed, of all four columns,
 * and their products are added up. examples/sqlite/q6.c compares the outcome
 * with SQLite's.
 *
 *     q6 [ROWS]
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdio.h>
#include <stdlib.h>
#include <winnow.h>

#include "lineitem.h"

/* 8766: 1994-01-01, 9131: 1995-01-01. */
static const char condition_text[] =
    "8766 <= ship_date < 9131 && 5 <= discount <= 7 && quantity < 24";

enum {
    SHIP_DATE,
    DISCOUNT,
    QUANTITY,
    PRICE,
    COLUMNS
};

struct query {
    winnow_context *context;
    winnow_condition *condition;
    void *packed[COLUMNS];
    uint64_t count;
    winnow_reduction revenue;
};

static int failed(const char *what) {
    fprintf(stderr, "%s: %s\n", what, winnow_last_error());
    return 0;
}

static int pack_rows(struct query *query, const struct lineitem *table) {
    const winnow_field fields[] = {{.name = "ship_date", .type = WINNOW_INT32},
                                   {.name = "discount", .type = WINNOW_INT32},
                                   {.name = "quantity", .type = WINNOW_INT32}};
    const winnow_in tested[] = {
        {.type = WINNOW_INT32, .d_base = table->ship_date},
        {.type = WINNOW_INT32, .d_base = table->discount},
        {.type = WINNOW_INT32, .d_base = table->quantity}};
    winnow_move moves[COLUMNS] = {{.d_in = table->ship_date,
                                   .d_out = NULL,
                                   .element_bytes = sizeof(int32_t)},
                                  {.d_in = table->discount,
                                   .d_out = NULL,
                                   .element_bytes = sizeof(int32_t)},
                                  {.d_in = table->quantity,
                                   .d_out = NULL,
                                   .element_bytes = sizeof(int32_t)},
                                  {.d_in = table->extended_price,
                                   .d_out = NULL,
                                   .element_bytes = sizeof(int64_t)}};

    for (int c = 0; c < COLUMNS; c++) {
        query->packed[c] = malloc((table->rows + 1) * moves[c].element_bytes);
        if (query->packed[c] == NULL)
            return failed("memory");
        moves[c].d_out = query->packed[c];
    }
    if (winnow_condition_parse(&query->condition, fields, 3, condition_text))
        return failed("the condition");
    if (winnow_copy_where(query->context, query->condition, tested, 3,
                          table->rows, moves, COLUMNS, WINNOW_NO_LIMIT,
                          &query->count, NULL))
        return failed("packing");
    return 1;
}

/* In ten-thousandths: cents by hundredths. */
static int add_up(struct query *query) {
    int64_t *const price = query->packed[PRICE];
    const int32_t *const discount = query->packed[DISCOUNT];

    for (uint64_t i = 0; i < query->count; i++)
        price[i] *= discount[i];
    if (winnow_reduce_if(query->context, NULL, WINNOW_INT64, price,
                         query->count, WINNOW_REDUCE_SUM, &query->revenue,
                         NULL))
        return failed("adding up");
    return 1;
}

int main(int argc, char **argv) {
    const uint64_t rows = argc > 1 ? strtoull(argv[1], NULL, 10) : 600000;
    struct query query = {.context = NULL};
    struct lineitem table;
    int done = 0;

    if (!lineitem_make(&table, rows)) {
        fprintf(stderr, "no memory for %llu rows\n", (unsigned long long)rows);
        return 1;
    }
    if (winnow_context_create(&query.context, WINNOW_DEVICE_HOST))
        failed("winnow_context_create");
    else
        done = pack_rows(&query, &table) && add_up(&query);
    if (done)
        printf("%llu of %llu rows, revenue %lld.%04d\n",
               (unsigned long long)query.count, (unsigned long long)rows,
               (long long)(query.revenue.sum.int64 / 10000),
               (int)(query.revenue.sum.int64 % 10000));
    for (int c = 0; c < COLUMNS; c++)
        free(query.packed[c]);
    winnow_condition_destroy(query.condition);
    winnow_context_destroy(query.context);
    lineitem_free(&table);
    return done ? 0 : 1;
}
