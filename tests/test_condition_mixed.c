/*
 * Conditions over columns of all kinds in one tree, some of them with nulls,
 * against an evaluator of SQL's three values.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include "element.h"
#include "mixed.h"
#include "reduced.h"
#include "suite.h"

/* Several trees of a table; of which some are too large for the small
 * program. */
static void random_trial(const struct backend *backend, uint64_t seed) {
    const uint64_t n = draw_next(&seed, draw_next(&seed, 4) == 0 ? 9000 : 700);
    static struct mixed mixed;
    static struct expression expression;

    table_random(&mixed.table, 1 + (unsigned)draw_next(&seed, 6), seed);
    mixed_open(&mixed, backend, n, seed);
    for (unsigned tree = 0; tree < 6; tree++) {
        const uint64_t limit =
            draw_next(&seed, 4) == 0 ? draw_next(&seed, n + 9) : UINT64_MAX;
        winnow_condition *condition;

        mixed_random(&mixed, &expression,
                     1 + (unsigned)draw_next(&seed, tree == 0 ? 24 : 9), seed);
        condition = expression_create(&expression);
        MUST(mixed_check(&mixed, &expression, condition, limit, report));
        winnow_condition_destroy(condition);
    }
    mixed_close(&mixed);
}

BACKEND_TEST(condition_mixed, random) {
    const unsigned trials = reduced_mode() ? 25 : 200;

    for (unsigned trial = 0; trial < trials; trial++)
        random_trial(backend, 8000 + trial);
}
