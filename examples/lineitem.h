/*
 * Rows of TPC-H's table lineitem, of the columns that query 6 reads, by the
 * rules of the specification (4.2.3), with random numbers of our own. Money is
 * in cents, a discount in hundredths, a date in days from 1970-01-01 on, so
 * that all sums are exact.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef EXAMPLES_LINEITEM_H
#define EXAMPLES_LINEITEM_H

#include <stdint.h>
#include <stdlib.h>

/* Rows for each unit of the scale factor, on average. */
#define LINEITEM_ROWS UINT64_C(6000000)
#define LINEITEM_PARTS UINT64_C(200000)

struct lineitem {
    uint64_t rows;
    int32_t *quantity, *discount, *ship_date;
    int64_t *extended_price;
};

/* From 0 to bound - 1: the number-th random number of a row. */
static uint64_t lineitem_random(uint64_t row, unsigned number, uint64_t bound) {
    uint64_t x = (row * 4 + number + 1) * UINT64_C(0x9e3779b97f4a7c15);

    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return (x ^ x >> 31) % bound;
}

static void lineitem_free(struct lineitem *table) {
    free(table->quantity);
    free(table->discount);
    free(table->ship_date);
    free(table->extended_price);
}

/* 0: there is no memory. */
static int lineitem_make(struct lineitem *table, uint64_t rows) {
    const uint64_t scale = (rows + LINEITEM_ROWS - 1) / LINEITEM_ROWS;
    const uint64_t parts = LINEITEM_PARTS * (scale != 0 ? scale : 1);
    /* Orders are of 1992-01-01 to 1998-08-02, and shipped 1 to 121 days later.
     */
    const int32_t first = 8035;
    const uint64_t days = 2406;

    table->rows = rows;
    table->quantity = malloc((rows + 1) * sizeof(int32_t));
    table->discount = malloc((rows + 1) * sizeof(int32_t));
    table->ship_date = malloc((rows + 1) * sizeof(int32_t));
    table->extended_price = malloc((rows + 1) * sizeof(int64_t));
    if (table->quantity == NULL || table->discount == NULL ||
        table->ship_date == NULL || table->extended_price == NULL) {
        lineitem_free(table);
        return 0;
    }
    for (uint64_t i = 0; i < rows; i++) {
        const uint64_t part = 1 + lineitem_random(i, 0, parts);
        const uint64_t retail = 90000 + part / 10 % 20001 + 100 * (part % 1000);
        const uint64_t quantity = 1 + lineitem_random(i, 1, 50);
        const uint64_t ordered = lineitem_random(i, 2, days);

        table->quantity[i] = (int32_t)quantity;
        table->extended_price[i] = (int64_t)(quantity * retail);
        table->discount[i] = (int32_t)lineitem_random(i, 3, 11);
        table->ship_date[i] =
            first + (int32_t)(ordered + 1 + lineitem_random(~i, 0, 121));
    }
    return 1;
}

#endif
