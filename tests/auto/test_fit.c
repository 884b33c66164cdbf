/*
 * From times to the entries of a tuning profile (bench/fit.c).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "bench/fit.h"

/* Three candidates, the default first, at four selectivities. */
static fit_table table_of(unsigned rows) {
    fit_table table = {.operation = "copy_if",
                       .order = "stable",
                       .bytes = 8,
                       .selectivity_count = 4,
                       .selectivities = {0, 0.2, 0.6, 1},
                       .candidate_count = 3,
                       .candidates = {{"tile_scan", "by_size"},
                                      {"cub_scan", "by_size"},
                                      {"tile_scan", "tile_scan_small"}},
                       .row_count = rows};

    for (unsigned i = 0; i < rows; i++) {
        table.rows[i].n = 1000u << 2 * i;
        for (unsigned s = 0; s < 4; s++)
            for (unsigned c = 0; c < 3; c++)
                table.rows[i].seconds[s][c] = c == 0 ? 1 : 2;
    }
    return table;
}

static void set(fit_table *table, unsigned row, unsigned candidate, double a,
                double b, double c, double d) {
    const double seconds[] = {a, b, c, d};

    for (unsigned s = 0; s < 4; s++)
        table->rows[row].seconds[s][candidate] = seconds[s];
}

static bool takes_up_to(void *user, const fit_table *table, unsigned candidate,
                        uint64_t n) {
    (void)table;
    return candidate != 2 || n <= *(const uint64_t *)user;
}

/* The lines, in static memory. */
static const char *written(const fit_table *table, uint64_t most) {
    static char text[4096];
    FILE *file;
    unsigned lines, counted = 0;

    memset(text, 0, sizeof(text));
    file = fmemopen(text, sizeof(text), "w");
    lines = fit_write(file, table, takes_up_to, &most);
    fclose(file);
    for (const char *c = text; *c != '\0'; c++)
        counted += *c == '\n';
    cr_assert_eq(lines, counted);
    return text;
}

/* Nothing where the default is within 3% everywhere. */
Test(fit, small_differences) {
    fit_table table = table_of(2);

    cr_assert_str_eq(written(&table, 0), "");
    set(&table, 0, 1, 0.98, 0.98, 0.98, 0.98);
    cr_assert_str_eq(written(&table, 0), "");
    /* Faster at one selectivity, but the choice takes more than that. */
    set(&table, 1, 1, 0.9, 2, 2, 2);
    table.rows[1].choice_s = 0.2;
    cr_assert_str_eq(written(&table, 0), "");
}

/* One candidate, and no choice, where it is better throughout. */
Test(fit, one) {
    fit_table table = table_of(3);

    set(&table, 1, 1, 0.9, 0.9, 0.96, 0.9);
    cr_assert_str_eq(written(&table, 0),
                     "copy_if stable 8 2001 8000 0 1 cub_scan by_size\n");
    /* As good for all n: one entry, from the first n to the last. */
    set(&table, 0, 1, 0.9, 0.9, 0.96, 0.9);
    set(&table, 2, 1, 0.9, 0.9, 0.96, 0.9);
    cr_assert_str_eq(written(&table, 0),
                     "copy_if stable 8 1000 16000 0 1 cub_scan by_size\n");
}

/* Ranges of selectivity, whose ends lie between two that were measured. */
Test(fit, ranges) {
    fit_table table = table_of(1);

    set(&table, 0, 1, 0.5, 2, 2, 2);
    cr_assert_str_eq(written(&table, 0),
                     "copy_if stable 8 1000 1000 0 0.1 cub_scan by_size\n"
                     "copy_if stable 8 1000 1000 0.1 1 tile_scan by_size\n");
    set(&table, 0, 2, 2, 2, 2, 0.5);
    cr_assert_str_eq(
        written(&table, 1000),
        "copy_if stable 8 1000 1000 0 0.1 cub_scan by_size\n"
        "copy_if stable 8 1000 1000 0.1 0.8 tile_scan by_size\n"
        "copy_if stable 8 1000 1000 0.8 1 tile_scan tile_scan_small\n");
    /* The more ranges, the more the choice takes. */
    table.rows[0].choice_s = 0.4;
    cr_assert_str_eq(written(&table, 1000), "");
}

/* A shape that ends before the next n that was measured. */
Test(fit, end_of_shape) {
    fit_table table = table_of(2);

    set(&table, 0, 2, 0.5, 0.5, 0.5, 0.5);
    cr_assert_str_eq(
        written(&table, 2000),
        "copy_if stable 8 1000 2000 0 1 tile_scan tile_scan_small\n");
    cr_assert_str_eq(
        written(&table, 1999),
        "copy_if stable 8 1000 1000 0 1 tile_scan tile_scan_small\n");
}

/* What was not measured at every selectivity is not chosen; and where the
 * default was not, nothing is. */
Test(fit, unknown) {
    fit_table table = table_of(1);

    set(&table, 0, 1, 0.5, 0.5, -1, 0.5);
    cr_assert_str_eq(written(&table, 0), "");
    set(&table, 0, 1, 0.5, 0.5, 0.5, 0.5);
    set(&table, 0, 0, 1, 1, 1, -1);
    cr_assert_str_eq(written(&table, 0), "");
}
