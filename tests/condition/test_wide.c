/*
 * Conditions over columns of 128-bit integers: predicates, sets and texts,
 * against integers of 128 bits of the compiler.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include <stdio.h>
#include <string.h>

#include "conditions.h"
#include "data.h"
#include "suite.h"
#include "wides.h"

enum {
    N = 3000
};

static uint64_t state;

static uint64_t draw(uint64_t below) {
    return draw_next(&state, below);
}

struct column {
    wide value[N];
    winnow_context *context;
};

static void open_column(struct column *c) {
    state = 1;
    for (unsigned i = 0; i < N; i++)
        c->value[i] = wide_random(&state);
    cr_assert_eq(winnow_context_create(&c->context, WINNOW_DEVICE_HOST),
                 WINNOW_OK);
}

/* The bits of the items that a condition keeps; it is destroyed. `apart`: of
 * every second element, from the last one on. */
static void keep(const struct column *c, winnow_condition *condition,
                 bool apart, unsigned char mask[N]) {
    static _Alignas(16) unsigned char selection[1 << 16];
    const winnow_in in = {.type = WINNOW_INT128,
                          .d_base = apart ? &c->value[N - 1] : &c->value[0],
                          .stride_bytes = apart ? -32 : 0};
    const uint64_t n = apart ? N / 2 : N;

    cr_assert_eq(winnow_select_where(c->context, condition, &in, 1, n,
                                     selection, sizeof(selection), NULL),
                 WINNOW_OK, "%s", winnow_last_error());
    cr_assert_eq(winnow_selection_to_mask(c->context, selection, n,
                                          WINNOW_MASK_BYTES, mask, 0, NULL),
                 WINNOW_OK, "%s", winnow_last_error());
    winnow_condition_destroy(condition);
}

static wide value_of(const struct column *c, unsigned i, bool apart) {
    return c->value[apart ? N - 1 - 2 * i : i];
}

Test(wide, compare) {
    static struct column c;
    static unsigned char mask[N];

    open_column(&c);
    for (unsigned t = 0; t < 600; t++) {
        const winnow_compare compare = (winnow_compare)(t % 6);
        const wide bound =
            t < 12 ? (t < 6 ? WIDE_LEAST : WIDE_MOST) : wide_random(&state);
        const bool apart = t % 5 == 0;
        const bool negated = t % 7 == 0;
        winnow_predicate *predicate;
        winnow_condition *condition;

        cr_assert_eq(winnow_predicate_compare(&predicate, WINNOW_INT128,
                                              compare, &bound),
                     WINNOW_OK);
        cr_assert_eq(winnow_condition_test(&condition, 0, predicate),
                     WINNOW_OK);
        winnow_predicate_destroy(predicate);
        if (negated) {
            winnow_condition *const inner = condition;
            cr_assert_eq(winnow_condition_not(&condition, inner), WINNOW_OK);
            winnow_condition_destroy(inner);
        }
        keep(&c, condition, apart, mask);
        for (unsigned i = 0; i < (apart ? N / 2u : N); i++)
            cr_assert_eq(mask[i],
                         wide_holds(value_of(&c, i, apart), compare, bound) !=
                             negated,
                         "trial %u, item %u", t, i);
    }
    winnow_context_destroy(c.context);
}

Test(wide, range) {
    static struct column c;
    static unsigned char mask[N];

    open_column(&c);
    for (unsigned t = 0; t < 600; t++) {
        const wide low = t == 0 ? WIDE_LEAST : wide_random(&state);
        const wide high = t == 0       ? WIDE_MOST
                          : t % 4 == 0 ? low
                                       : wide_random(&state);
        winnow_predicate *predicate;
        winnow_condition *condition;

        cr_assert_eq(
            winnow_predicate_range(&predicate, WINNOW_INT128, &low, &high),
            WINNOW_OK);
        cr_assert_eq(winnow_condition_test(&condition, 0, predicate),
                     WINNOW_OK);
        winnow_predicate_destroy(predicate);
        keep(&c, condition, false, mask);
        for (unsigned i = 0; i < N; i++)
            cr_assert_eq(mask[i], low <= c.value[i] && c.value[i] <= high,
                         "trial %u, item %u", t, i);
    }
    winnow_context_destroy(c.context);
}

Test(wide, set) {
    static struct column c;
    static unsigned char mask[N];

    open_column(&c);
    for (unsigned t = 0; t < 100; t++) {
        wide values[300];
        const unsigned count = t < 3 ? t : (unsigned)draw(300);
        winnow_condition *condition;

        for (unsigned v = 0; v < count; v++)
            values[v] = c.value[draw(N)];
        cr_assert_eq(winnow_condition_in(&condition, NULL, 0, WINNOW_INT128,
                                         count == 0 ? NULL : values, count),
                     WINNOW_OK, "%s", winnow_last_error());
        keep(&c, condition, t % 2 != 0, mask);
        for (unsigned i = 0; i < (t % 2 != 0 ? N / 2u : N); i++) {
            bool is_in = false;
            for (unsigned v = 0; v < count; v++)
                is_in |= values[v] == value_of(&c, i, t % 2 != 0);
            cr_assert_eq(mask[i], is_in, "trial %u, item %u", t, i);
        }
    }
    winnow_context_destroy(c.context);
}

/* Many upper halves: as many as there is room for, and one more. */
Test(wide, set_is_too_large) {
    wide values[257];
    winnow_condition *condition = NULL;

    for (int v = 0; v < 257; v++)
        values[v] = ((wide)v - 100) * ((wide)1 << 64) + 7;
    cr_assert_eq(
        winnow_condition_in(&condition, NULL, 0, WINNOW_INT128, values, 256),
        WINNOW_OK);
    winnow_condition_destroy(condition);
    cr_assert_eq(
        winnow_condition_in(&condition, NULL, 0, WINNOW_INT128, values, 257),
        WINNOW_ERR_UNSUPPORTED);
    cr_assert_not_null(strstr(winnow_last_error(), "more than 256"));
}

/* Texts, of which decimals have a scale: x is compared with bound / 10^2. */
Test(wide, text) {
    static const char *const signs[] = {"<", "<=", "=", "<>", ">=", ">"};
    static const winnow_compare compares[] = {WINNOW_LT, WINNOW_LE, WINNOW_EQ,
                                              WINNOW_NE, WINNOW_GE, WINNOW_GT};
    static struct column c;
    static unsigned char mask[N];

    open_column(&c);
    for (unsigned t = 0; t < 600; t++) {
        const bool decimal = t % 2 != 0;
        const winnow_field field = {.name = "x",
                                    .type = WINNOW_INT128,
                                    .format = decimal ? "d:38,2" : NULL};
        const wide bound =
            t < 12 ? (t < 6 ? WIDE_LEAST : WIDE_MOST) : wide_random(&state);
        const unsigned sign = t % 6;
        char digits[48], text[200];
        const char *const shown = wide_digits(bound, digits);
        const size_t length = strlen(shown);
        winnow_condition *condition;

        if (t % 11 == 10)
            snprintf(text, sizeof(text), "x %s in (%s%s, %s%s, 5.5e-9)",
                     sign % 2 != 0 ? "not" : "", shown, decimal ? "e-2" : "",
                     shown, decimal ? "e-2" : "");
        else if (decimal && length > 3 && t % 4 == 1)
            snprintf(text, sizeof(text), "x %s %.*s.%s", signs[sign],
                     (int)length - 2, shown, shown + length - 2);
        else
            snprintf(text, sizeof(text), "x %s %s%s", signs[sign], shown,
                     decimal ? "e-2" : "");
        cr_assert_eq(winnow_condition_parse(&condition, &field, 1, text),
                     WINNOW_OK, "%s: %s", text, winnow_last_error());
        keep(&c, condition, false, mask);
        for (unsigned i = 0; i < N; i++)
            cr_assert_eq(mask[i],
                         t % 11 == 10
                             ? (c.value[i] == bound) != (sign % 2 != 0)
                             : wide_holds(c.value[i], compares[sign], bound),
                         "%s, item %u", text, i);
    }
    winnow_context_destroy(c.context);
}

/* What is beyond the type, and between its values. */
Test(wide, text_beyond) {
    static const struct {
        const char *text;
        bool all;
    } rows[] = {
        {"x < 170141183460469231731687303715884105728", true},
        {"x <= 170141183460469231731687303715884105727", true},
        {"x > 170141183460469231731687303715884105727", false},
        {"x >= -170141183460469231731687303715884105728", true},
        {"x < -170141183460469231731687303715884105728", false},
        {"x > -170141183460469231731687303715884105728.5", true},
        {"x = 1e99", false},
        {"x <> 0.5", true},
        {"x between -1e50 and 1e50", true},
        {"x in (1e50, 0.25)", false},
        {"-1e50 < x < 0x80000000000000000000000000000000", true},
    };
    static struct column c;
    static unsigned char mask[N];

    open_column(&c);
    for (size_t t = 0; t < sizeof(rows) / sizeof(rows[0]); t++) {
        const winnow_field field = {.name = "x", .type = WINNOW_INT128};
        winnow_condition *condition;

        cr_assert_eq(
            winnow_condition_parse(&condition, &field, 1, rows[t].text),
            WINNOW_OK, "%s: %s", rows[t].text, winnow_last_error());
        keep(&c, condition, false, mask);
        for (unsigned i = 0; i < N; i++)
            cr_assert_eq(mask[i], rows[t].all, "%s, item %u", rows[t].text, i);
    }
    winnow_context_destroy(c.context);
}

/* A null passes neither a comparison nor its opposite. */
Test(wide, nulls) {
    static const char *const texts[] = {"x < 7 or x > 18446744073709551620",
                                        "not (x < 7 or x > "
                                        "18446744073709551620)"};
    static struct column c;
    static unsigned char valid[N / 8 + 1];
    static _Alignas(16) unsigned char selection[1 << 16];
    const winnow_field field = {.name = "x", .type = WINNOW_INT128};
    const winnow_in in = {.type = WINNOW_INT128,
                          .d_base = c.value,
                          .d_valid = valid,
                          .valid_offset = 3};

    open_column(&c);
    for (unsigned i = 0; i < sizeof(valid); i++)
        valid[i] = (unsigned char)data_random(i, 9);
    for (unsigned t = 0; t < 2; t++) {
        static unsigned char mask[N];
        winnow_condition *condition;

        cr_assert_eq(winnow_condition_parse(&condition, &field, 1, texts[t]),
                     WINNOW_OK, "%s", winnow_last_error());
        cr_assert_eq(winnow_select_where(c.context, condition, &in, 1, N - 3,
                                         selection, sizeof(selection), NULL),
                     WINNOW_OK, "%s", winnow_last_error());
        cr_assert_eq(winnow_selection_to_mask(c.context, selection, N - 3,
                                              WINNOW_MASK_BYTES, mask, 0, NULL),
                     WINNOW_OK);
        for (unsigned i = 0; i < N - 3; i++) {
            const wide x = c.value[i];
            const bool there = valid[(i + 3) / 8] >> (i + 3) % 8 & 1;
            const bool passes = x < 7 || x > ((wide)1 << 64) + 4;
            cr_assert_eq(mask[i], there && passes == (t == 0), "%s, item %u",
                         texts[t], i);
        }
        winnow_condition_destroy(condition);
    }
    winnow_context_destroy(c.context);
}
