/*
 * Decimals in the texts of conditions, exactly: comparisons of columns of any
 * scales, and beside integers.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include "decimal_formulas.h"
#include "reduced.h"
#include "suite.h"

BACKEND_TEST(decimals, comparisons) {
    static struct decimal_table table;

    for (uint64_t seed = 1; seed <= (reduced_mode() ? 1 : 3); seed++) {
        decimal_table_open(&table, backend, seed == 2 ? 2500 : 500, seed);
        decimals_check_comparisons(&table, reduced_mode() ? 60 : 250, seed);
        decimal_table_close(&table);
    }
}

BACKEND_TEST(decimals, arithmetic) {
    static struct decimal_table table;

    for (uint64_t seed = 1; seed <= (reduced_mode() ? 1 : 4); seed++) {
        struct decimal_tally tally;
        decimal_table_open(&table, backend, seed == 2 ? 2500 : 300, seed + 9);
        tally = decimal_formulas_check(&table, reduced_mode() ? 60 : 250, seed);
        cr_assert(tally.refused < 2 * tally.tested, "%u texts are refused",
                  tally.refused);
        decimal_table_close(&table);
    }
}

BACKEND_TEST(decimals, sums) {
    static struct decimal_table table;

    for (uint64_t seed = 1; seed <= (reduced_mode() ? 1 : 3); seed++) {
        const unsigned formulas = reduced_mode() ? 40 : 150;
        decimal_table_open(&table, backend, seed == 2 ? 9000 : 300, seed + 20);
        cr_assert(decimal_sums_check(&table, seed == 2 ? 20 : formulas, seed) >
                  0);
        decimal_table_close(&table);
    }
}

BACKEND_TEST(decimals, floats) {
    decimals_check_floats(backend, reduced_mode() ? 16 : 160, 5);
}

/* Numbers that are neighbours of one float64. */
BACKEND_TEST(decimals, neighbours) {
    static const struct {
        wide a, b;
        const char *format_a, *format_b;
    } rows[] = {
        {9007199254740993, 9007199254740993, "d:20,2", "d:20,2"},
        {9007199254740993, 9007199254740992, "d:20,2", "d:20,2"},
        {9007199254740993, 900719925474099200, NULL, "d:20,2"},
        {9007199254740993, 900719925474099300, NULL, "d:18,2"},
        {10, 100, "d:3,2", "d:4,3"},
        {-10, -101, "d:3,2", "d:4,3"},
    };
    static const char *const texts[] = {"a < b", "a = b", "a > b"};

    for (unsigned r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        const winnow_type types[2] = {rows[r].format_a == NULL ? WINNOW_INT64
                                                               : WINNOW_INT128,
                                      WINNOW_INT128};
        const winnow_field fields[2] = {
            {.name = "a", .type = types[0], .format = rows[r].format_a},
            {.name = "b", .type = types[1], .format = rows[r].format_b}};
        const int scale_a = rows[r].format_a == NULL ? 0 : 2;
        const struct decimal a = decimal_of(rows[r].a, scale_a);
        const struct decimal b = decimal_of(rows[r].b, r >= 4 ? 3 : 2);
        wide *const memory = backend_alloc(backend, 2 * sizeof(wide));
        const winnow_in in[2] = {{.type = types[0], .d_base = memory},
                                 {.type = types[1], .d_base = memory + 1}};
        backend_upload(backend, memory, &rows[r].a, 2 * sizeof(wide));
        for (int t = 0; t < 3; t++)
            decimals_check_text(backend, fields, in, 2, 1, texts[t],
                                &(uint8_t){decimal_order(&a, &b) == t - 1});
        backend_free(backend, memory);
    }
}
