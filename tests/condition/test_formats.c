/*
 * Formats of fields: those of Arrow's C data interface, each with its type.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include <stdio.h>
#include <string.h>

#include "element.h"
#include "suite.h"

static winnow_status parse(const char *format, winnow_type type) {
    const winnow_field field = {.name = "x", .type = type, .format = format};
    winnow_condition *condition;
    const winnow_status status =
        winnow_condition_parse(&condition, &field, 1, "true");

    if (status == WINNOW_OK)
        winnow_condition_destroy(condition);
    return status;
}

/* A format is of one type, and no other; but days, of two. */
Test(formats, types) {
    static const struct {
        const char *format;
        winnow_type type;
    } rows[] = {
        {"c", WINNOW_INT8},
        {"C", WINNOW_UINT8},
        {"s", WINNOW_INT16},
        {"S", WINNOW_UINT16},
        {"i", WINNOW_INT32},
        {"I", WINNOW_UINT32},
        {"l", WINNOW_INT64},
        {"L", WINNOW_UINT64},
        {"e", WINNOW_FLOAT16},
        {"f", WINNOW_FLOAT32},
        {"g", WINNOW_FLOAT64},
        {"tdD", WINNOW_INT32},
        {"tdm", WINNOW_INT64},
        {"tts", WINNOW_INT32},
        {"ttm", WINNOW_INT32},
        {"ttu", WINNOW_INT64},
        {"ttn", WINNOW_INT64},
        {"tss:", WINNOW_INT64},
        {"tsm:", WINNOW_INT64},
        {"tsu:UTC", WINNOW_INT64},
        {"tsn:America/New_York", WINNOW_INT64},
        {"tDs", WINNOW_INT64},
        {"tDm", WINNOW_INT64},
        {"tDu", WINNOW_INT64},
        {"tDn", WINNOW_INT64},
        {"d:9,2,32", WINNOW_INT32},
        {"d:1,0,32", WINNOW_INT32},
        {"d:18,-3,64", WINNOW_INT64},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        FOR_EACH_TYPE(type) {
            const winnow_status status = parse(rows[i].format, type);
            const bool is_right =
                type == rows[i].type ||
                (type == WINNOW_INT64 && strcmp(rows[i].format, "tdD") == 0);

            cr_assert_eq(status, is_right ? WINNOW_OK : WINNOW_ERR_ARGUMENT,
                         "%s of %s: %s", rows[i].format, winnow_type_name(type),
                         winnow_last_error());
        }
    cr_assert_eq(parse("tdD", WINNOW_UINT32), WINNOW_ERR_ARGUMENT);
    cr_assert_str_eq(winnow_last_error(),
                     "fields[0].format is 'tdD', which is of int32, and its "
                     "type is uint32");
}

Test(formats, unknown) {
    static const char *const unknown[] = {
        "",          "x",           "n",         "tdd",
        "tdD ",      "td",          "tss",       "tsS:",
        "tDs:",      "tts:UTC",     "+s",        "+l",
        "ii",        "w:16",        "d:",        "d:9",
        "d:9,",      "d:,2",        "d:9,2,",    "d:9,2,16",
        "d:9,2,256", "d:9,2,32,",   "d:9,--2",   "d:9,+2",
        "d: 9,2,32", "d:9,1000,32", "d:-9,2,32", "tiM",
        "tiD",       "tin"};
    char detail[200];

    for (size_t i = 0; i < sizeof(unknown) / sizeof(unknown[0]); i++) {
        cr_assert_eq(parse(unknown[i], WINNOW_INT32), WINNOW_ERR_UNSUPPORTED,
                     "'%s'", unknown[i]);
        snprintf(detail, sizeof(detail),
                 "fields[0].format is '%s', which is not known: wanted that of "
                 "numbers, dates, times or decimals of at most 128 bits",
                 unknown[i]);
        cr_assert_str_eq(winnow_last_error(), detail);
    }
    cr_assert_eq(parse("d:10,2,32", WINNOW_INT32), WINNOW_ERR_ARGUMENT);
    cr_assert_str_eq(winnow_last_error(),
                     "fields[0].format is 'd:10,2,32': decimals of 32 bits "
                     "have 1 to 9 digits");
    cr_assert_eq(parse("d:0,0,64", WINNOW_INT64), WINNOW_ERR_ARGUMENT);
    cr_assert_eq(parse("d:39,2", WINNOW_INT32), WINNOW_ERR_ARGUMENT);
}
