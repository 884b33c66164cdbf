/*
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include "wides.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conditions.h"
#include "report.h"

wide wide_random(uint64_t *seed) {
    static const uint64_t parts[] = {
        0, 1, 2, UINT64_MAX, UINT64_MAX - 1, UINT64_C(1) << 63, INT64_MAX};
    const uint64_t high =
        draw_next(seed, 2) ? parts[draw_next(seed, 7)] : draw_next(seed, 4) - 2;
    const uint64_t low = draw_next(seed, 3) ? parts[draw_next(seed, 7)]
                                            : draw_next(seed, UINT64_MAX);

    return (wide)((unsigned_wide)high << 64 | low);
}

bool wide_holds(wide x, winnow_compare compare, wide y) {
    switch (compare) {
    case WINNOW_LT:
        return x < y;
    case WINNOW_LE:
        return x <= y;
    case WINNOW_EQ:
        return x == y;
    case WINNOW_NE:
        return x != y;
    case WINNOW_GE:
        return x >= y;
    default:
        return x > y;
    }
}

const char *wide_digits(wide x, char to[48]) {
    unsigned_wide rest = x < 0 ? -(unsigned_wide)x : (unsigned_wide)x;
    char *at = to + 47;

    *at = '\0';
    do
        *--at = (char)('0' + (int)(rest % 10));
    while ((rest /= 10) != 0);
    if (x < 0)
        *--at = '-';
    return at;
}

void wide_column_open(struct wide_column *column, const struct backend *backend,
                      uint64_t n, uint64_t *seed) {
    const uint64_t apart = 1 + draw_next(seed, 2);
    const bool backwards = draw_next(seed, 2) != 0;
    const uint64_t places = n * apart;
    wide *const rows = must_alloc((places + 1) * sizeof(wide));

    memset(rows, 0xa5, (places + 1) * sizeof(wide));
    *column = (struct wide_column){
        .backend = backend,
        .values = must_alloc((n + 1) * sizeof(wide)),
        .d_memory = backend_alloc(backend, (places + 1) * sizeof(wide))};
    for (uint64_t i = 0; i < n; i++) {
        column->values[i] = wide_random(seed);
        rows[(backwards ? n - 1 - i : i) * apart] = column->values[i];
    }
    backend_upload(backend, column->d_memory, rows,
                   (places + 1) * sizeof(wide));
    free(rows);
    column->in =
        (winnow_in){.type = WINNOW_INT128,
                    .d_base = (const wide *)column->d_memory +
                              (backwards && n != 0 ? (n - 1) * apart : 0),
                    .stride_bytes = (backwards ? -16 : 16) * (int64_t)apart};
}

void wide_column_close(struct wide_column *column) {
    backend_free(column->backend, column->d_memory);
    free(column->values);
}

void wide_rule_random(struct wide_rule *rule, const struct wide_column *column,
                      uint64_t n, uint64_t *seed) {
    *rule = (struct wide_rule){.kind = (enum wide_rule_kind)draw_next(seed, 3),
                               .compare = (winnow_compare)draw_next(seed, 6),
                               .number =
                                   (unsigned)draw_next(seed, WIDE_VALUES + 1)};
    for (unsigned i = 0; i < WIDE_VALUES; i++)
        rule->values[i] = n == 0 || draw_next(seed, 3) == 0
                              ? wide_random(seed)
                              : column->values[draw_next(seed, n)];
}

bool wide_rule_keeps(const struct wide_rule *rule, wide x) {
    switch (rule->kind) {
    case WIDE_COMPARE:
        return wide_holds(x, rule->compare, rule->values[0]);
    case WIDE_RANGE:
        return rule->values[0] <= x && x <= rule->values[1];
    default:
        for (unsigned i = 0; i < rule->number; i++)
            if (rule->values[i] == x)
                return true;
        return false;
    }
}

static void must(winnow_status status) {
    if (status == WINNOW_OK)
        return;
    fprintf(stderr, "%s\n", winnow_last_error());
    abort();
}

winnow_condition *wide_rule_create(const struct wide_rule *rule,
                                   unsigned column) {
    winnow_predicate *predicate;
    winnow_condition *condition;

    if (rule->kind == WIDE_IN) {
        must(winnow_condition_in(&condition, NULL, column, WINNOW_INT128,
                                 rule->values, rule->number));
        return condition;
    }
    must(rule->kind == WIDE_COMPARE
             ? winnow_predicate_compare(&predicate, WINNOW_INT128,
                                        rule->compare, rule->values)
             : winnow_predicate_range(&predicate, WINNOW_INT128, rule->values,
                                      rule->values + 1));
    must(winnow_condition_test(&condition, column, predicate));
    winnow_predicate_destroy(predicate);
    return condition;
}
