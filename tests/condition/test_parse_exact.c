/*
 * winnow_condition_parse: constants of literals are exact, and are rounded once,
 * where they meet a column. The module's tests have random ones, beside fractions.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include <stdio.h>
#include <string.h>

#include "suite.h"

enum {
    ITEMS = 4
};

static const winnow_field fields[] = {
    {.name = "x", .type = WINNOW_INT32},
    {.name = "u", .type = WINNOW_UINT64},
    {.name = "f", .type = WINNOW_FLOAT32},
    {.name = "g", .type = WINNOW_FLOAT64},
    {.name = "h", .type = WINNOW_FLOAT16},
    {.name = "d", .type = WINNOW_INT64, .format = "d:12,2,64"},
    {.name = "w", .type = WINNOW_INT128, .format = "d:38,2"},
    {.name = "l_quantity", .type = WINNOW_INT64, .format = "d:12,2,64"},
    {.name = "l_discount", .type = WINNOW_INT64, .format = "d:12,2,64"},
    {.name = "l_shipdate", .type = WINNOW_INT32, .format = "tdD"},
    {.name = "s", .type = WINNOW_STRING32},
    {.name = "n", .type = WINNOW_INT128, .format = "d:38,2"},
    {.name = "i", .type = WINNOW_INT64}};
enum {
    FIELDS = sizeof(fields) / sizeof(fields[0])
};

/* 10^38 - 1, 10^38 - 2 */
#define HIGH UINT64_C(5421010862427522170)
#define LOW UINT64_C(687399551400673279)

static const int32_t x[] = {-1, 0, 2, 300};
static const uint64_t u[] = {UINT64_C(16000000000000000000), UINT64_MAX,
                             UINT64_C(15999999999999999999), 4};
static const float f[] = {0.3f, 16777216.0f, 16777218.0f, -0.3f};
static const double g[] = {0.3, 0.1 + 0.2, -0.3, 1.6e19};
static const uint16_t h[] = {0x6800, 0x6801, 0x34cd, 0}; /* 2048 2050 0.3 0 */
static const int64_t d[] = {5, 6, 7, -7};
static const uint64_t w[] = {LOW, HIGH, LOW - 1, HIGH, 7, 0, 0, 0};
static const int64_t l_quantity[] = {2300, 2399, 2300, 2400};
static const int64_t l_discount[] = {5, 7, 8, 6};
static const int32_t l_shipdate[] = {8766, 9130, 8800, 8800};
static const int32_t offsets[ITEMS + 1];
static const uint8_t n_valid = 0xd;
static const int64_t i64[] = {INT64_MIN, -1, 0, INT64_MAX};
static const winnow_in in[] = {
    {.type = WINNOW_INT32, .d_base = x},
    {.type = WINNOW_UINT64, .d_base = u},
    {.type = WINNOW_FLOAT32, .d_base = f},
    {.type = WINNOW_FLOAT64, .d_base = g},
    {.type = WINNOW_FLOAT16, .d_base = h},
    {.type = WINNOW_INT64, .d_base = d},
    {.type = WINNOW_INT128, .d_base = w},
    {.type = WINNOW_INT64, .d_base = l_quantity},
    {.type = WINNOW_INT64, .d_base = l_discount},
    {.type = WINNOW_INT32, .d_base = l_shipdate},
    {.type = WINNOW_STRING32, .d_base = offsets},
    {.type = WINNOW_INT128, .d_base = w, .d_valid = &n_valid},
    {.type = WINNOW_INT64, .d_base = i64}};

/* Bit i: item i is kept. */
static const struct {
    const char *text;
    unsigned keep;
} cases[] = {
    /* Query 6 of TPC-H, whose interval is a duration here. */
    {"l_shipdate >= date '1994-01-01' and l_shipdate < date '1994-01-01' + "
     "duration '365 d' and l_discount between 0.06 - 0.01 and 0.06 + 0.01 and "
     "l_quantity < 24",
     0x3},
    /* Beside decimals. */
    {"d between 0.06 - 0.01 and 0.06 + 0.01", 0x7},
    {"d = 0.1 * 0.7", 0x4},
    {"d = 7 * 0.01 or d = -(0.1 * 0.7)", 0xc},
    {"0.03 + 0.02 < d <= 3 * 0.02", 0x2},
    {"d = 0.1 + 0.2 - 0.25", 0x1},
    {"d < 0.06 + 0.000000000000000000000000000001", 0xb},
    {"w = 99999999999999999999999999999999999999 * 0.01", 0x1},
    {"w >= 999999999999999999999999999999999999.99 - 0.01", 0x3},
    {"d in (0.1 * 0.7, 0.02 + 0.03)", 0x5},
    {"d not in ((0.06 - 0.01), -(0.1 * 0.7),)", 0x6},
    /* Beside integers. */
    {"x in (1 + 1, 3 * 100.0)", 0xc},
    {"u not in (4000000000 * 4000000000)", 0xe},
    {"x < 4000000000 * 4000000000", 0xf},
    {"x > -4000000000 * 4000000000", 0xf},
    {"u < 4000000000 * 4000000000", 0xc},
    {"u = 4000000000 * 4000000000", 0x1},
    {"u = 18446744073709551616 - 1", 0x2},
    {"u + 0 = 4000000000 * 4000000000", 0x1},
    {"x < 1.5 + 0.5", 0x3},
    {"x <= 0.1 * 20", 0x7},
    {"x = 0x10 * 010 + 172", 0x8},
    {"(x & 3 - 1) = 2", 0x5},
    {"(1 + 1 & x) = 0", 0xa},
    {"x = 7 // 2 * 100", 0x8},
    {"7 // 2 * 4000000000 * 4000000000 > 47999999999999999999", 0xf},
    {"abs(-4000000000) * 4000000000 > u", 0xc},
    {"min(3, 4) * 4000000000 * 4000000000 = 48000000000000000000", 0xf},
    /* Rounded once, to the type of a float column. */
    {"f = 0.1 + 0.2", 0x1},
    {"g = 0.1 + 0.2", 0x1},
    {"g = -(0.1 + 0.2)", 0x4},
    {"h = 0.1 + 0.2", 0x4},
    {"g = 0.1 * 3", 0x1},
    {"g in (0.1 + 0.2) and f in (3 * 0.1)", 0x1},
    {"f = 16777217 + 0.0000000001", 0x4},
    {"f - 16777217.0000000001 = 0", 0x4},
    {"f - (16777217 + 0.0000000001) = 0", 0x4},
    {"f < 1e0 + 16777217 and f > 1", 0x2},
    {"h = 2049 + 0.00000000000000000000000000001", 0x2},
    {"g = 4000000000 * 4000000000", 0x8},
    /* A cast makes a decimal: a float64 beside floats, exact beside integers. */
    {"f + cast(0.000000015 as decimal(38, 10)) = f", 0},
    {"f = cast(0.3 as decimal(2, 1))", 0},
    {"f between cast(-0.3 as decimal(2, 1)) and cast(0.3 as decimal(2, 1))", 0},
    {"0.2 < g <= cast(0.3 as decimal(2, 1)) + 0", 0x1},
    {"g in (0.1, cast(0.3 as decimal(2, 1)))", 0x1},
    {"u + cast(0.5 as decimal(2, 1)) > 18446744073709551615", 0x2},
    {"u * -cast(0.5 as decimal(2, 1)) = -7999999999999999999.5", 0x4},
    {"round(cast(2.5 as decimal(2, 1))) = x", 0x4},
    {"-cast(i as decimal(25, 0)) = 9223372036854775808", 0x1},
    {"abs(cast(i + 0 as decimal(19, 0))) > i", 0x3},
    {"ceil(cast(i as decimal(38, 0))) = i", 0xf},
    {"-(i - i - cast(i as decimal(38, 0))) = i", 0xf},
    /* No value is in the list, and null is not outside of it. The first n + n has
     * too many digits. */
    {"n + n not in (0.001)", 0xc},
    {"not (n + n in (0.001, 0.002))", 0xc},
    {"(n + n in (0.001)) is null", 0x3},
    {"n + n in (0.001)", 0},
    /* A range with null is false where its other half is. */
    {"not (null <= x <= 3)", 0x8},
    {"not (1 // 0 <= x + 0 <= 3)", 0x8},
    {"not (3 >= x >= null)", 0x8},
    {"not (null < x < u < 5)", 0xf},
    {"not (x < null < 3)", 0},
    {"(null < l_shipdate < date '1994-02-01') is false", 0xe},
    {"(null <= s < '') is false", 0xf},
    /* With an exponent, float64. */
    {"g = 1e-1 + 0.2", 0x2},
    {"g = 0.1 + 2e-1", 0x2},
    {"d = 7e-2", 0x4},
    {"x = 3e2", 0x8},
    {"1e30 * 1e30 > 1e59", 0xf},
    /* Constants alone. */
    {"0.1 + 0.2 = 0.3", 0xf},
    {"0.1 + 0.2 <> 3 * 0.1", 0},
    {"-0.5 - 0.5 = -1 and 1 - 1 = -0.0", 0xf},
    {"1 + 1 in (2, 3) and 0.5 * 3 between 1 + 0.49 and 1.5", 0xf},
    {"99999999999999999999999999999999999998 + 1 = "
     "99999999999999999999999999999999999999",
     0xf},
    {"10000000000000000000 * 0.0000000000000000001 = 1", 0xf},
    {"1152921504606846976 * 32 * 0.00000000000000000000000000000000000625 * "
     "100000000000000000 > 23",
     0xf},
    /* What had a point is no integer. */
    {"isnan(x * (0.5 + 0.5))", 0},
    {"x / (0.5 + 0.5) = 2", 0x4}};

Test(parse_exact, values) {
    _Alignas(16) unsigned char selection[1024];
    winnow_context *context;

    cr_assert_eq(winnow_context_create(&context, WINNOW_DEVICE_HOST),
                 WINNOW_OK);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        uint32_t keep;
        winnow_condition *condition;

        cr_assert_eq(
            winnow_condition_parse(&condition, fields, FIELDS, cases[i].text),
            WINNOW_OK, "%s: %s", cases[i].text, winnow_last_error());
        cr_assert_eq(winnow_select_where(context, condition, in, FIELDS, ITEMS,
                                         selection, sizeof(selection), NULL),
                     WINNOW_OK, "%s: %s", cases[i].text, winnow_last_error());
        memcpy(&keep, selection, sizeof(keep));
        cr_assert_eq(keep, cases[i].keep, "%s: %x", cases[i].text, keep);
        winnow_condition_destroy(condition);
    }
    winnow_context_destroy(context);
}

#define DIGITS                                                                 \
    ", which has more than 38 digits: with an exponent, as in 1e9, numbers "   \
    "are float64"
#define NINES "99999999999999999999999999999999999999"

static const struct {
    const char *text;
    unsigned column;
    const char *detail;
} mistakes[] = {
    {"x < " NINES " + 1", 44, "found " NINES " + 1" DIGITS},
    {"x < -" NINES " - 0.5", 45, "found -" NINES " - 0.5" DIGITS},
    {"x < 10000000000 * 10000000000 * 10000000000 * 100000000", 45,
     "found 10000000000 * 10000000000 * 10000000000 * 100000000" DIGITS},
    {"x > 0 and d < (1 + 0.00000000000000000000000000000000000001) * 3", 18,
     "found 1 + 0.00000000000000000000000000000000000001" DIGITS},
    {"1 + " NINES "9 < x", 5, "found " NINES "9" DIGITS},
    {"x < 0.123456789012345678901234567890123456789 * 2", 5,
     "found 0.123456789012345678901234567890123456789" DIGITS},
    {"x + 4294967296 * 4294967296 > 1", 5,
     "found 4294967296 * 4294967296, which has more than 64 bits: with a point "
     "it is a float64"},
    {"isnan(x * (1 + 1))", 7, "isnan is of floats: 'x * (1 + 1)' is of int64"},
    {"s = 1 + 1", 5,
     "found '1 + 1', expected a text in single quotes or a column of strings: "
     "'s' is of strings"},
    {"f in (cast(0.3 as decimal(2, 1)))", 7,
     "found 'cast(0.3 as decimal(2, 1))' of decimals, 'f' is of float32: write "
     "f = cast(0.3 as decimal(2, 1)) or ..."},
    {"not (0 <= -1 <= null)", 14,
     "a condition has no order; the middle of a range is a column, or computed "
     "of some, as in 10 <= x <= 20"},
    {"1.5 + 1", 1, "found a number, expected a condition"}};

Test(parse_exact, mistakes) {
    for (size_t i = 0; i < sizeof(mistakes) / sizeof(mistakes[0]); i++) {
        char detail[512];
        winnow_condition *condition = NULL;

        snprintf(detail, sizeof(detail), "line 1, column %u: %s",
                 mistakes[i].column, mistakes[i].detail);
        cr_assert_neq(winnow_condition_parse(&condition, fields, FIELDS,
                                             mistakes[i].text),
                      WINNOW_OK, "%s", mistakes[i].text);
        cr_assert_str_eq(winnow_last_error(), detail, "%s: %s",
                         mistakes[i].text, winnow_last_error());
        cr_assert_null(condition);
    }
}
