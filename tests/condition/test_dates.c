/*
 * Dates, times, durations and decimals in the text of conditions, against values
 * that are counted otherwise: days one by one, fractions as products.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include <stdio.h>
#include <string.h>

#include "data.h"
#include "suite.h"

__extension__ typedef __int128 wide;

static winnow_context *host(void) {
    winnow_context *context;
    cr_assert_eq(winnow_context_create(&context, WINNOW_DEVICE_HOST),
                 WINNOW_OK);
    return context;
}

/* Does the text keep this value of a column x? */
static bool keeps(winnow_context *context, const winnow_field *field,
                  const char *text, int64_t value) {
    static _Alignas(16) unsigned char selection[1024];
    const winnow_in in = {.type = field->type, .d_base = &value};
    winnow_condition *condition;
    uint64_t count;

    cr_assert_eq(winnow_condition_parse(&condition, field, 1, text), WINNOW_OK,
                 "%s: %s", text, winnow_last_error());
    cr_assert_eq(winnow_select_where(context, condition, &in, 1, 1, selection,
                                     sizeof(selection), NULL),
                 WINNOW_OK);
    cr_assert_eq(winnow_selection_count(context, selection, 1, &count, NULL),
                 WINNOW_OK);
    winnow_condition_destroy(condition);
    return count != 0;
}

/* Every first and last day of a month, the days around them counted. */
Test(dates, days) {
    winnow_context *const context = host();
    const winnow_field field = {
        .name = "d", .type = WINNOW_INT32, .format = "tdD"};
    int day = -719162; /* 0001-01-01: timegm() says so as well */

    for (int year = 1; year <= 9999; year++)
        for (int month = 1; month <= 12; month++) {
            const bool leap =
                (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
            const int days =
                month == 2 ? 28 + leap
                : month == 4 || month == 6 || month == 9 || month == 11 ? 30
                                                                        : 31;
            /* All months of a few centuries' turns, some of others. */
            if (year % 100 < 2 || year == 1970 || year > 9998 ||
                (year * 12 + month) % 97 == 0) {
                char text[60];
                snprintf(text, sizeof(text), "d = date '%04d-%02d-01'", year,
                         month);
                cr_assert(keeps(context, &field, text, day), "%s", text);
                cr_assert(!keeps(context, &field, text, day - 1), "%s", text);
                snprintf(text, sizeof(text), "d = '%04d-%02d-%02d'", year,
                         month, days);
                cr_assert(keeps(context, &field, text, day + days - 1), "%s",
                          text);
            }
            day += days;
        }
    cr_assert_eq(day, 2932897);
    winnow_context_destroy(context);
}

/* x has this many of its unit; what is kept, of x - 1, x and x + 1. */
static const struct {
    const char *format, *text;
    int64_t value;
    const char *kept;
} rows[] = {
    {"tdD", "x = date '1970-01-01'", 0, "010"},
    {"tdD", "x < date '2000-03-01'", 11017, "100"},
    {"tdD", "x >= '2000-03-01'", 11017, "011"},
    {"tdD", "x <= timestamp '2000-03-01 12:00'", 11017, "110"},
    {"tdD", "x < timestamp '2000-03-01T12:00'", 11017, "110"},
    {"tdD", "x = '2000-03-01 12:00'", 11017, "000"},
    {"tdD", "x <> timestamp '2000-03-01 12:00'", 11017, "111"},
    {"tdD", "x in (date '2000-03-01', '2000-02-29')", 11017, "110"},
    {"tdD", "x not in ('2000-03-01')", 11017, "101"},
    {"tdD", "x between date '2000-03-01' and '2000-03-01'", 11017, "010"},
    {"tdD", "'2000-02-29' < x <= '2000-03-01'", 11017, "010"},
    {"tdD", "cast(x as int64) = 11017", 11017, "010"},
    {"tdD", "x::int32 in (11016, 11018, 5000000000)", 11017, "101"},
    {"tdD", "11016 < cast(x as bigint) <= 11017.5", 11017, "010"},
    {"tdD", "(cast(x as int64) & 1) = 1 and not x::int64 + 1 < 0", 11017,
     "010"},
    {"tdm", "x = date '2000-03-01'", 951868800000, "010"},
    {"tdm", "x > timestamp '2000-03-01 00:00:00.000000001'", 951868800000,
     "001"},
    {"tts", "x = time '10:00'", 36000, "010"},
    {"tts", "x < '10:00:00.5'", 36000, "110"},
    {"ttm", "x = time '23:59:59.999'", 86399999, "010"},
    {"ttu", "x <= time '00:00:00.0000015'", 1, "110"},
    {"ttn", "x = '00:00:00.000000001'", 1, "010"},
    {"tss:", "x = timestamp '2000-03-01 10:20:30'", 951906030, "010"},
    {"tss:", "x < timestamp '2000-03-01 10:20:30.5'", 951906030, "110"},
    {"tss:", "x >= date '2000-03-01'", 951868800, "011"},
    {"tsm:", "x = '2000-03-01T10:20:30.25'", 951906030250, "010"},
    {"tsm:", "x = timestamp '1969-12-31 23:59:59.999'", -1, "010"},
    {"tsm:", "x < timestamp '1969-12-31 23:59:59.9995'", -1, "110"},
    {"tsu:", "x > timestamp '2000-03-01 10:20:30'", 951906030000000, "001"},
    {"tsn:", "x = timestamp '2000-03-01 10:20:30.123456789'",
     951906030123456789, "010"},
    {"tsn:", "x < timestamp '2300-01-01'", 0, "111"},
    {"tsn:", "x >= '2300-01-01'", 0, "000"},
    {"tsn:", "x > '0001-01-01'", 0, "111"},
    {"tsn:", "x <> '9999-12-31 23:59:59.999999999'", 0, "111"},
    {"tss:UTC", "x = timestamp '2000-03-01 10:20:30'", 951906030, "010"},
    {"tss:UTC", "x = '2000-03-01 10:20:30Z'", 951906030, "010"},
    {"tss:UTC", "x = '2000-03-01 12:20:30+02:00'", 951906030, "010"},
    {"tss:UTC", "x = '2000-03-01 12:20:30+02'", 951906030, "010"},
    {"tss:-03:30", "x = '2000-03-01 06:50:30'", 951906030, "010"},
    {"tss:-03:30", "x = '2000-03-01 06:50:30-0330'", 951906030, "010"},
    {"tss:Europe/Berlin", "x = timestamp '2000-03-01T11:20:30+01:00'",
     951906030, "010"},
    {"tDs", "x = duration '90 s'", 90, "010"},
    {"tDs", "x = '1.5min'", 90, "010"},
    {"tDs", "x < duration '1 min 30 s 1 ns'", 90, "110"},
    {"tDm", "x = duration '-1 d 1 h'", -90000000, "010"},
    {"tDm", "x < duration '-0.5ms'", -1, "110"},
    {"tDu", "x = '2 h'", 7200000000, "010"},
    {"tDn", "x <= duration '999999999999999 d'", 7, "111"},
    {"tDn", "cast(x as int64) < 0", 0, "100"},
    {"d:18,2,64", "x = 12.34", 1234, "010"},
    {"d:18,2,64", "x < 12.345", 1234, "110"},
    {"d:18,2,64", "x >= 12.341", 1234, "001"},
    {"d:18,2,64", "x = 12.345", 1234, "000"},
    {"d:18,2,64", "x = -12.340", -1234, "010"},
    {"d:18,2,64", "x > -12.345", -1235, "001"},
    {"d:18,2,64", "x = 0x10", 1600, "010"},
    {"d:18,2,64", "x <= 92233720368547758.07", INT64_MAX - 1, "111"},
    {"d:18,2,64", "x < 92233720368547758.08", INT64_MAX - 1, "111"},
    {"d:18,2,64", "x in (12.34, 12.351, 1e9)", 1234, "010"},
    {"d:18,2,64", "x between 12.335 and 12.349", 1234, "010"},
    {"d:18,2,64", "x", 0, "101"},
    {"d:18,2,64", "not x", 0, "010"},
    {"d:18,-3,64", "x = 5000", 5, "010"},
    {"d:18,-3,64", "x < 5001", 5, "110"},
    {"d:18,-3,64", "x = 0x1388", 5, "010"},
    {"d:18,-3,64", "x > -5001", -5, "011"},
    {"d:9,4,32", "x = 1.0001", 10001, "010"},
    {"d:9,4,32", "x < 214748.3648", INT32_MAX - 1, "111"},
    {"l", "x < 1.5", 1, "110"},
};

Test(dates, values) {
    winnow_context *const context = host();

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const size_t length = strlen(rows[i].format);
        const bool narrow =
            strcmp(rows[i].format, "tdD") == 0 ||
            strcmp(rows[i].format, "tts") == 0 ||
            strcmp(rows[i].format, "ttm") == 0 ||
            (length > 2 && strcmp(rows[i].format + length - 2, "32") == 0);
        const winnow_field field = {.name = "x",
                                    .type =
                                        narrow ? WINNOW_INT32 : WINNOW_INT64,
                                    .format = rows[i].format};

        for (int j = 0; j < 3; j++)
            cr_assert_eq(
                keeps(context, &field, rows[i].text, rows[i].value + (j - 1)),
                rows[i].kept[j] == '1', "%s of %s: %lld", rows[i].text,
                rows[i].format, (long long)(rows[i].value + (j - 1)));
    }
    winnow_context_destroy(context);
}

/* Days in 64 bits, as NumPy counts them, mean what those in 32 bits do; and 400
 * years have 146097 days, however far they are. */
Test(dates, days_of_64_bits) {
    static const int64_t era = 146097;
    static const struct {
        const char *text;
        int64_t value;
        bool is_kept;
    } far[] = {
        {"year(x) + 0 = 10001970", 25000 * era, true},
        {"year(x) = 10001970", 25000 * era, true},
        {"year(x) + 0 = 10001970", 25000 * era - 1, false},
        {"year(x) = 10001969", 25000 * era - 1, true},
        {"year(x) + 0 = -9998030", -25000 * era, true},
        {"month(x) = 3 and day(x) = 2", 25000 * era + 60, true},
        {"hour(x) = 0", INT64_MAX, true},
        {"x > timestamp '9999-12-31 23:59:59.999999999'", INT64_MAX, true},
        {"x < date '0001-01-01'", INT64_MIN, true},
        {"x - date '1970-01-01' > duration '999999999 d'", 1000000000, true},
        {"x - date '1970-01-01' > duration '999999999 d'", 999999999, false},
        {"x - timestamp '1970-01-01 00:00:01' is null", INT64_MAX, true},
        {"x - timestamp '1970-01-02 00:00:01' = duration '-1 s'", 1, true},
    };
    winnow_context *const context = host();
    const winnow_field field = {
        .name = "x", .type = WINNOW_INT64, .format = "tdD"};

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        for (int j = 0; j < 3 && strcmp(rows[i].format, "tdD") == 0; j++)
            cr_assert_eq(
                keeps(context, &field, rows[i].text, rows[i].value + (j - 1)),
                rows[i].kept[j] == '1', "%s: %lld", rows[i].text,
                (long long)(rows[i].value + (j - 1)));
    for (size_t i = 0; i < sizeof(far) / sizeof(far[0]); i++)
        cr_assert_eq(keeps(context, &field, far[i].text, far[i].value),
                     far[i].is_kept, "%s: %lld", far[i].text,
                     (long long)far[i].value);
    winnow_context_destroy(context);
}

/* float16 as Arrow names it. */
Test(dates, halves) {
    winnow_context *const context = host();
    const winnow_field field = {
        .name = "x", .type = WINNOW_FLOAT16, .format = "e"};

    cr_assert(keeps(context, &field, "x = 1.5", 0x3e00));
    cr_assert(!keeps(context, &field, "x < 1.5", 0x3e00));
    winnow_context_destroy(context);
}

/* Random decimals of int64: x < number, by products of 128 bits. */
Test(dates, random_decimals) {
    winnow_context *const context = host();

    for (uint64_t t = 0; t < 2000; t++) {
        const unsigned scale = (unsigned)(data_random(t, 1) % 7);
        const unsigned digits = (unsigned)(data_random(t, 2) % 7);
        const int64_t value = (int64_t)(data_random(t, 3) % 2001) - 1000;
        const int64_t number = (int64_t)(data_random(t, 4) % 2001) - 1000;
        wide left = value, right = number;
        char format[20], text[60];
        const winnow_field field = {
            .name = "x", .type = WINNOW_INT64, .format = format};

        for (unsigned i = 0; i < digits; i++)
            left *= 10;
        for (unsigned i = 0; i < scale; i++)
            right *= 10;
        snprintf(format, sizeof(format), "d:18,%u,64", scale);
        snprintf(text, sizeof(text), "x < %llde-%u", (long long)number, digits);
        cr_assert_eq(keeps(context, &field, text, value), left < right,
                     "%s of %s: %lld", text, format, (long long)value);
        snprintf(text, sizeof(text), "x = %llde-%u", (long long)number, digits);
        cr_assert_eq(keeps(context, &field, text, value), left == right,
                     "%s of %s: %lld", text, format, (long long)value);
    }
    winnow_context_destroy(context);
}

Test(dates, mistakes) {
    static const winnow_field fields[] = {
        {.name = "d", .type = WINNOW_INT32, .format = "tdD"},
        {.name = "t", .type = WINNOW_INT32, .format = "tts"},
        {.name = "s", .type = WINNOW_INT64, .format = "tss:"},
        {.name = "z", .type = WINNOW_INT64, .format = "tss:Europe/Berlin"},
        {.name = "n", .type = WINNOW_INT64},
        {.name = "p", .type = WINNOW_INT64, .format = "d:18,2,64"},
        {.name = "w", .type = WINNOW_INT128}};
    static const struct {
        const char *text, *detail;
    } wrong[] = {
        {"d = '2023-02-29'", "column 5: found '2023-02-29', which is no date, "
                             "as '2024-01-31' is one"},
        {"d = date '2024-1-31'", "column 10: found '2024-1-31', which is no"},
        {"d = '0000-01-01'", "which is no date"},
        {"d = date '2024-01-31 '", "which is no date"},
        {"d = date '10000-01-01'", "which is no date"},
        {"s = '2024-01-31 24:00'", "which is no timestamp"},
        {"s = '2024-01-31 10:00:60'", "which is no timestamp"},
        {"s = '2024-01-31 10:00:00.'", "which is no timestamp"},
        {"s = '2024-01-31 10:00:00.1234567891'", "which is no timestamp"},
        {"s = '2024-01-31 10:00+25:00'", "which is no timestamp"},
        {"s = '2024-01-31 10:00Z'",
         "column 5: found '2024-01-31 10:00Z', with the offset of a zone: 's' "
         "has no zone"},
        {"z = '2024-01-31 10:00'",
         "column 5: 'z' has the zone 'Europe/Berlin': write the offset, as in "
         "'2024-01-31 10:00:00+01:00'"},
        {"t = '25:00'", "which is no time"},
        {"t = date '2024-01-31'",
         "column 5: found date '2024-01-31', a date: 't' is of times"},
        {"n = date '2024-01-31'",
         "column 5: found date '2024-01-31', a date: 'n' is of int64"},
        {"n = '2024-01-31'", "a text: 'n' is of int64"},
        {"p = '12.34'", "a text: 'p' is of decimals; write 12.34"},
        {"d", "column 1: 'd' is no condition"},
        {"not d", "'d' is no condition"},
        {"date '2024-01-31'", "expected a condition"},
        {"date '2024-01-31' < time '10:00'",
         "found a date < a time, expected two numbers"},
        {"(p & 1) = 1", "& is of integers of up to 64 bits, none of 'p'"},
        {"(w & 1) = 1", "& is of integers of up to 64 bits, none of 'w'"},
        {"isnan(w)", "isnan is of floats: 'w' is of int128"},
        {"d < - date '2024-01-31'", "- is of numbers and durations"},
        {"d >= 2024-01-01", "column 6: 'd' is a date: write '2024-01-01'"},
        {"d >= 2024-09-08",
         "column 6: found 2024-09-08, a date without quotes: "
         "write '2024-09-08'"},
        {"d between date '2024-01-31' and 2024-01-08", "write '2024-01-08'"},
        {"d in (2024-01-01)", "column 7: 'd' is a date: write '2024-01-01'"},
        {"d in (date '2024-01-31', 2024-01-08)", "write '2024-01-08'"},
        {"d >= 2024", "column 6: 'd' is a date: write '2024-01-01', or "
                      "cast(d as int64) for days since 1970"},
        {"20240101 < d", "'d' is a date: write '2024-01-31', or cast(d as"},
        {"d = 5::int64", "column 5: 'd' is a date"},
        {"d = 5::float64", "column 5: 'd' is a date"},
        {"d = 1.5 * 2", "column 5: 'd' is a date"},
        {"d between date '2024-01-31' and 20000", "column 33: 'd' is a date"},
        {"d not between 1 and '2024-01-31'", "column 15: 'd' is a date"},
        {"0 < d < date '2024-01-31'", "column 1: 'd' is a date"},
        {"date '2024-01-31' < d < 30000", "column 25: 'd' is a date"},
        {"d in (19000)", "column 7: 'd' is a date"},
        {"d not in ('2024-01-31', -1)", "column 25: 'd' is a date"},
        {"t > 5", "'t' is a time: write '10:00:00.5', or cast(t as int64) for "
                  "seconds since midnight"},
        {"s > 1.5e9", "'s' is a timestamp: write '2024-01-31 10:00:00.5', or "
                      "cast(s as int64) for seconds since 1970"},
        {"z > 1999", "'z' is a timestamp: write '1999-01-01', or cast(z as"},
        {"s - z > 5", "moments of one kind"},
        {"d - date '2024-01-31' > 5",
         "column 25: 'd - date '2024-01-31'' is a duration: write '90 s', or "
         "cast(d - date '2024-01-31' as int64) for days"},
        {"d + duration '1 s' > 5", "cast(d + duration '1 s' as int64) for "
                                   "seconds since 1970"},
    };

    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        winnow_condition *condition = NULL;
        cr_assert_neq(
            winnow_condition_parse(&condition, fields, 7, wrong[i].text),
            WINNOW_OK, "%s", wrong[i].text);
        cr_assert_not_null(strstr(winnow_last_error(), wrong[i].detail),
                           "%s: %s", wrong[i].text, winnow_last_error());
    }
}

/* A cast that counts a column's units tests the column: as an expression each
 * would be one more of the 64 that a condition can test. */
Test(dates, casts_test_columns) {
    enum {
        COLUMNS = 64
    };
    static char names[COLUMNS][8], text[COLUMNS * 60];
    winnow_field fields[COLUMNS];
    winnow_condition *condition;
    size_t length = 0;

    for (unsigned c = 0; c < COLUMNS; c++) {
        static const char *const formats[] = {"tdD", "tdm", "ttm", "tsn:UTC",
                                              "tDu"};
        const char *const format = formats[c % 5];
        snprintf(names[c], sizeof(names[c]), "c%u", c);
        fields[c] = (winnow_field){
            .name = names[c],
            .type = c % 5 == 0 || c % 5 == 2 ? WINNOW_INT32 : WINNOW_INT64,
            .format = format};
        length += (size_t)snprintf(text + length, sizeof(text) - length,
                                   "%scast(c%u as int64) in (%u, 9) and c%u is "
                                   "not null",
                                   c == 0 ? "" : " or ", c, c, c);
    }
    cr_assert_eq(winnow_condition_parse(&condition, fields, COLUMNS, text),
                 WINNOW_OK, "%s", winnow_last_error());
    winnow_condition_destroy(condition);
}

/* The words are names where no text follows them. */
Test(dates, names) {
    static const winnow_field fields[] = {
        {.name = "date", .type = WINNOW_INT32, .format = "tdD"},
        {.name = "time", .type = WINNOW_INT32, .format = "tts"}};
    winnow_condition *condition;

    cr_assert_eq(winnow_condition_parse(&condition, fields, 2,
                                        "date < date '2024-01-31' and time > "
                                        "'10:00' and DATE '2024-01-30' < date"),
                 WINNOW_OK, "%s", winnow_last_error());
    winnow_condition_destroy(condition);
}
