/*
 * winnow_condition_parse: what texts mean, and what is said of wrong ones.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data.h"
#include "element.h"
#include "reduced.h"
#include "suite.h"
#include "table.h"

#define FIELDS ELEMENT_TYPES

/* A field of each type, under its name. */
static void make_fields(winnow_field fields[FIELDS]) {
    for (unsigned i = 0; i < FIELDS; i++)
        fields[i] =
            (winnow_field){winnow_type_name(element_type(i)), element_type(i)};
}

/* ------------------------------------------------------------------ mistakes
 */

struct mistake {
    const char *text;
    winnow_status status;
    const char *detail;
};

#define OPERAND                                                                \
    "expected one of: a column, a number, '-', 'isnan', 'isfinite', '(', '!'"
#define OPERATOR                                                               \
    "expected one of: the end, '||', '&&', '==', '!=', '<', '<=', '>', '>=', " \
    "'in', '&'"
#define ARITHMETIC                                                             \
    "a condition compares columns with numbers, and has no arithmetic"
#define SYNTAX WINNOW_ERR_SYNTAX
#define UNSUPPORTED WINNOW_ERR_UNSUPPORTED

static const struct mistake mistakes[] = {
    {"", SYNTAX, "line 1, column 1: found the end, " OPERAND},
    {" \t ", SYNTAX, "line 1, column 4: found the end, " OPERAND},
    {"int8 <", SYNTAX, "line 1, column 7: found the end, " OPERAND},
    {"int8 < 3\n  &&\n && x", SYNTAX, "line 3, column 2: found '&&', " OPERAND},
    {"int8 < 3 )", SYNTAX, "line 1, column 10: found ')', " OPERATOR},
    {"int8 < 3 int16", SYNTAX, "line 1, column 10: found 'int16', " OPERATOR},
    {"(int8 < 3", SYNTAX,
     "line 1, column 10: found the end, expected one of: '||', '&&', '==', "
     "'!=', '<', '<=', '>', '>=', 'in', '&', ')'"},
    {"int8 = 3", SYNTAX, "line 1, column 6: found '=': use =="},
    {"int8 === 3", SYNTAX, "line 1, column 8: found '=': use =="},
    {"int8 => 3", SYNTAX, "line 1, column 6: found '=>': use >="},
    {"int8 =< 3", SYNTAX, "line 1, column 6: found '=<': use <="},
    {"int8 <> 3", SYNTAX, "line 1, column 6: found '<>': use !="},
    {"int8 > 5 | int16 < 3", SYNTAX, "line 1, column 10: found '|': use ||"},
    {"int8 and int16", SYNTAX, "line 1, column 6: found 'and': use &&"},
    {"int8 OR int16", SYNTAX, "line 1, column 6: found 'OR': use ||"},
    {"int8 not in (1)", SYNTAX,
     "line 1, column 6: found 'not': use !, as in !(x in (1, 2))"},
    {"not int8", SYNTAX,
     "line 1, column 1: found 'not': use !, as in !(x in (1, 2))"},
    {"int8 between 1 and 2", SYNTAX,
     "line 1, column 6: found 'between': a range is 10 <= x <= 20"},
    {"float32 < inf", SYNTAX,
     "line 1, column 11: found 'inf': use isfinite(x), which is false of "
     "infinities"},
    {"float32 > -Infinity", SYNTAX,
     "line 1, column 12: found 'Infinity': use isfinite(x), which is false of "
     "infinities"},
    {"float32 == NaN", SYNTAX,
     "line 1, column 12: found 'NaN': use isnan(x): a NaN equals nothing"},
    {"int8 == 'R'", SYNTAX,
     "line 1, column 9: found 'R': a character is its number, 82"},
    {"int8 == \"R\"", SYNTAX,
     "line 1, column 9: found \"R\": a character is its number, 82"},
    {"int8 == 'Rio' && int16", SYNTAX,
     "line 1, column 9: found 'Rio': columns are compared with numbers, and a "
     "character is its number"},
    {"int8 == '", SYNTAX,
     "line 1, column 9: found ': columns are compared with numbers, and a "
     "character is its number"},
    {"int8 == '\xc3\xa4'", SYNTAX,
     "line 1, column 9: found '\xc3\xa4': columns are compared with numbers, "
     "and a character is its number"},
    {"float32 < 5,5", SYNTAX,
     "line 1, column 12: found ',', " OPERATOR
     " (a number has a decimal point: 5.5)"},
    {"int8 in (1,,2)", SYNTAX,
     "line 1, column 12: found ',', expected one of: a number, '-'"},
    {"int8 < \x80", SYNTAX,
     "line 1, column 8: found byte 0x80, with which no word begins"},
    {"unknown < 3", SYNTAX,
     "line 1, column 1: found 'unknown', which is the name of no column. "
     "Names: int8, int16, int32, int64, uint8, uint16, uint32, uint64, "
     "float16, bfloat16, float32, float64"},
    {"Int8 < 3", SYNTAX,
     "line 1, column 1: found 'Int8', which is the name of no column. Names: "
     "int8, int16, int32, int64, uint8, uint16, uint32, uint64, float16, "
     "bfloat16, float32, float64"},
    {"int8 < 3x", SYNTAX, "line 1, column 8: found '3x', which is no number"},
    {"int8 < 09", SYNTAX,
     "line 1, column 8: found '09', which is no number: a 0 in front makes it "
     "octal, use 9"},
    {"int8 < 0018", SYNTAX,
     "line 1, column 8: found '0018', which is no number: a 0 in front makes "
     "it octal, use 18"},
    {"int8 < 09x", SYNTAX, "line 1, column 8: found '09x', which is no number"},
    {"int8 < 0x", SYNTAX, "line 1, column 8: found '0x', which is no number"},
    {"int8 < 1.2.3", SYNTAX,
     "line 1, column 8: found '1.2.3', which is no number"},
    {"float32 < 1e", SYNTAX,
     "line 1, column 11: found '1e', which is no number"},
    {"int8 < 1.5", SYNTAX,
     "line 1, column 8: found 1.5, expected an integer: the column is of int8"},
    {"int8 < 1.0", SYNTAX,
     "line 1, column 8: found 1.0, expected an integer: the column is of int8"},
    {"float16 < 65520", SYNTAX,
     "line 1, column 11: found 65520, expected a number that float16 can hold"},
    {"float64 < 1e309", SYNTAX,
     "line 1, column 11: found 1e309, expected a number that float64 can hold"},
    {"int8 in ()", SYNTAX,
     "line 1, column 10: found ')', expected one of: a number, '-'"},
    {"int8 in (1", SYNTAX,
     "line 1, column 11: found the end, expected one of: ')', ','"},
    {"3 in (1)", SYNTAX, "line 1, column 1: expected a column before 'in'"},
    {"7", SYNTAX, "line 1, column 1: found a number, expected a condition"},
    {"int8 < 3 && 7", SYNTAX,
     "line 1, column 13: found a number, expected a condition"},
    {"1 < 2", SYNTAX,
     "line 1, column 3: found a number on both sides, expected a column on one "
     "(== is before &, as in C)"},
    {"int8 & 7 == 3", SYNTAX,
     "line 1, column 10: found a number on both sides, expected a column on "
     "one (== is before &, as in C)"},
    {"(3 & 7) == int8", SYNTAX,
     "line 1, column 6: found a number on both sides of &, expected a column"},
    {"(uint8 & 6) == 1", SYNTAX,
     "line 1, column 16: found 1, which has bits that the mask lacks"},
    {"(uint8 & 256) == 0", SYNTAX,
     "line 1, column 10: found 256, expected a number that uint8 can hold"},
    {"isnan(3)", SYNTAX,
     "line 1, column 7: expected a column in the parentheses of isnan"},
    {"isnan(int8)", UNSUPPORTED,
     "line 1, column 7: isnan is of floats: 'int8' is of int8"},
    {"int8 < int16", UNSUPPORTED,
     "line 1, column 6: two columns: a condition compares a column with "
     "numbers"},
    {"int8 + 1 < 3", UNSUPPORTED, "line 1, column 6: found '+': " ARITHMETIC},
    {"int8 - 1 < 3", UNSUPPORTED, "line 1, column 6: found '-': " ARITHMETIC},
    {"int8 < 1 << 3", UNSUPPORTED,
     "line 1, column 10: found '<<': " ARITHMETIC},
    {"~int8 == 3", UNSUPPORTED, "line 1, column 1: found '~': " ARITHMETIC},
    {"-int8 < 3", UNSUPPORTED,
     "line 1, column 2: expected a number after '-': a condition has no "
     "arithmetic"},
    {"(int8 < 3) == 1", UNSUPPORTED,
     "line 1, column 12: a condition is compared with nothing: it is joined by "
     "&& and ||"},
    {"(3 < int8) < 7", UNSUPPORTED,
     "line 1, column 12: a condition is compared with nothing: it is joined by "
     "&& and ||"},
    {"!int8 < 3", UNSUPPORTED,
     "line 1, column 7: ! is before <, as in C: use !(int8 < ...)"},
    {"!int8 == 3", UNSUPPORTED,
     "line 1, column 7: ! is before ==, as in C: use !(int8 == ...)"},
    {"!int8 in (1)", UNSUPPORTED,
     "line 1, column 2: ! is before in, as in C: use !(int8 in ...)"},
    {"!(int8 < 3) == 3", UNSUPPORTED,
     "line 1, column 13: a condition is compared with nothing: it is joined by "
     "&& and ||"},
    {"(!int8) < 3", UNSUPPORTED,
     "line 1, column 9: a condition is compared with nothing: it is joined by "
     "&& and ||"},
    {"int8 < 3 < 7", UNSUPPORTED,
     "line 1, column 10: a condition is compared with nothing: it is joined by "
     "&& and ||"},
    {"3 < int8 > 7", UNSUPPORTED,
     "line 1, column 10: the comparisons of a range go one way, as in "
     "10 <= x <= 20"},
    {"(uint8 & 7) < 3", UNSUPPORTED,
     "line 1, column 13: bits under a mask are compared by == and !="},
    {"(float32 & 7) == 3", UNSUPPORTED,
     "line 1, column 12: & is of integers: 'float32' is of float32"},
    {"(int8 & uint8) == 3", UNSUPPORTED,
     "line 1, column 9: & is of one column and one number"},
    {"(int8 < 3) & (int8 > 1)", UNSUPPORTED,
     "line 1, column 15: & of a condition: conditions are joined by &&, and == "
     "is before &, as in C: (flags & 7) == 3"},
};

static void check_mistake(const winnow_field *fields, const char *text,
                          winnow_status status, const char *detail) {
    winnow_condition *condition = NULL;

    cr_assert_eq(winnow_condition_parse(&condition, fields, FIELDS, text),
                 status, "%s: %s", text, winnow_last_error());
    cr_assert_str_eq(winnow_last_error(), detail, "%s: %s", text,
                     winnow_last_error());
    cr_assert_null(condition);
}

Test(parse, mistakes) {
    winnow_field fields[FIELDS];

    make_fields(fields);
    for (size_t i = 0; i < sizeof(mistakes) / sizeof(mistakes[0]); i++)
        check_mistake(fields, mistakes[i].text, mistakes[i].status,
                      mistakes[i].detail);
}

/* What is too much: tests, digits, nesting, bytes. */
Test(parse, limits) {
    enum {
        MOST = 65535
    };
    char *const text = must_alloc(MOST + 2);
    winnow_field fields[FIELDS];
    winnow_condition *condition;
    size_t length = 0;

    make_fields(fields);
    length = (size_t)sprintf(text, "int16 in (0");
    for (unsigned i = 1; i < WINNOW_CONDITION_MOST_TESTS; i++)
        length += (size_t)sprintf(text + length, ", %u", i);
    sprintf(text + length, ")");
    cr_assert_eq(winnow_condition_parse(&condition, fields, FIELDS, text),
                 WINNOW_OK, "%s", winnow_last_error());
    winnow_condition_destroy(condition);
    sprintf(text + length, ") || int8");
    check_mistake(
        fields, text, UNSUPPORTED,
        "line 1, column 2464: here is one test more than the 512 that a "
        "condition can have");
    /* In a list it is the first number too many. */
    sprintf(text + length, ", 512, 513)");
    check_mistake(
        fields, text, UNSUPPORTED,
        "line 1, column 2461: here is one test more than the 512 that a "
        "condition can have");
    length = (size_t)sprintf(text, "float64 < 0.");
    memset(text + length, '1', 98);
    text[length + 98] = '\0';
    cr_assert_eq(winnow_condition_parse(&condition, fields, FIELDS, text),
                 WINNOW_OK, "%s", winnow_last_error());
    winnow_condition_destroy(condition);
    text[length + 98] = '1';
    text[length + 99] = '\0';
    check_mistake(fields, text, UNSUPPORTED,
                  "line 1, column 11: a number of 101 characters: at most 100 "
                  "are possible");
    for (int sign = 0; sign <= 1; sign++) {
        memset(text, sign ? '!' : '(', MOST);
        text[MOST] = '\0';
        check_mistake(fields, text, UNSUPPORTED,
                      "line 1, column 999: the condition is nested too "
                      "deeply");
    }
    memset(text, '!', 900);
    strcpy(text + 900, "int8");
    cr_assert_eq(winnow_condition_parse(&condition, fields, FIELDS, text),
                 WINNOW_OK, "%s", winnow_last_error());
    winnow_condition_destroy(condition);
    memset(text, ' ', MOST);
    strcpy(text + MOST - 4, "int8");
    cr_assert_eq(winnow_condition_parse(&condition, fields, FIELDS, text),
                 WINNOW_OK, "%s", winnow_last_error());
    winnow_condition_destroy(condition);
    strcpy(text + MOST, " ");
    check_mistake(fields, text, UNSUPPORTED,
                  "the text has more than 65535 bytes");
    free(text);
}

Test(parse, wrong_fields) {
    winnow_field fields[65];
    winnow_condition *condition = NULL;
#define WRONG(status, number, text)                                            \
    do {                                                                       \
        cr_assert_eq(                                                          \
            winnow_condition_parse(&condition, fields, (number), "a"),         \
            (status));                                                         \
        cr_assert_str_eq(winnow_last_error(), (text));                         \
    } while (0)

    for (unsigned i = 0; i < 65; i++)
        fields[i] = (winnow_field){"a", WINNOW_INT8};
    WRONG(WINNOW_ERR_ARGUMENT, 2, "fields[0] and fields[1] are both 'a'");
    WRONG(WINNOW_ERR_UNSUPPORTED, 65,
          "field_count is 65: at most 64 are possible");
    fields[0].type = (winnow_type)13;
    WRONG(WINNOW_ERR_ARGUMENT, 1, "fields[0].type 13 is no winnow_type");
    fields[0].type = WINNOW_OPAQUE;
    WRONG(WINNOW_ERR_ARGUMENT, 1,
          "fields[0].type 0 is no winnow_type of elements that can be tested");
    fields[0].name = NULL;
    WRONG(WINNOW_ERR_ARGUMENT, 1, "fields[0].name is NULL");
    fields[0].name = "isnan";
    WRONG(WINNOW_ERR_ARGUMENT, 1,
          "fields[0].name 'isnan' is no name of a column");
    fields[0].name = "1a";
    WRONG(WINNOW_ERR_ARGUMENT, 1, "fields[0].name '1a' is no name of a column");
    fields[0].name = "a b";
    WRONG(WINNOW_ERR_ARGUMENT, 1,
          "fields[0].name 'a b' is no name of a column");
    fields[0].name = "";
    WRONG(WINNOW_ERR_ARGUMENT, 1, "fields[0].name '' is no name of a column");
    cr_assert_eq(winnow_condition_parse(&condition, NULL, 1, "a"),
                 WINNOW_ERR_ARGUMENT);
    cr_assert_str_eq(winnow_last_error(), "fields is NULL");
    cr_assert_eq(winnow_condition_parse(&condition, fields, 1, NULL),
                 WINNOW_ERR_ARGUMENT);
    cr_assert_str_eq(winnow_last_error(), "text is NULL");
    cr_assert_eq(winnow_condition_parse(NULL, fields, 1, "a"),
                 WINNOW_ERR_ARGUMENT);
    cr_assert_str_eq(winnow_last_error(), "condition_p is NULL");
    cr_assert_null(condition);
}

/* ------------------------------------------------------------------- numbers
 */

/* Does the text keep, of these elements of a type, exactly the one? */
static void check_number(winnow_context *context, winnow_type type,
                         const char *number, uint64_t bits) {
    const winnow_field field = {"x", type};
    const size_t size = element_size(type);
    const uint64_t all = element_all_bits(type);
    _Alignas(16) unsigned char in[3 * 8], selection[544];
    uint32_t kept[3] = {7, 7, 7};
    uint64_t count = 0;
    char text[200];
    winnow_condition *condition;

    element_store(type, in, (bits - 1) & all);
    element_store(type, in + size, bits);
    element_store(type, in + 2 * size, (bits + 1) & all);
    const winnow_in column = {.type = type, .d_base = in};
    snprintf(text, sizeof(text), "x == %s", number);
    cr_assert_eq(winnow_condition_parse(&condition, &field, 1, text), WINNOW_OK,
                 "%s: %s", text, winnow_last_error());
    cr_assert_eq(winnow_select_where(context, condition, &column, 1, 3,
                                     selection, sizeof(selection), NULL),
                 WINNOW_OK);
    cr_assert_eq(winnow_compact_index(context, selection, 3, WINNOW_UINT32,
                                      kept, 3, &count, NULL),
                 WINNOW_OK);
    cr_assert(count == 1 && kept[0] == 1, "%s as %s: not 0x%" PRIx64, text,
              winnow_type_name(type), bits);
    winnow_condition_destroy(condition);
}

static winnow_context *host_context(void) {
    winnow_context *context;

    cr_assert_eq(winnow_context_create(&context, WINNOW_DEVICE_HOST),
                 WINNOW_OK);
    return context;
}

Test(parse, numbers) {
    static const struct {
        winnow_type type;
        const char *number;
        uint64_t bits;
    } cases[] = {
        {WINNOW_INT8, "0x7f", 0x7f},
        {WINNOW_INT8, "-0200", 0x80},
        {WINNOW_INT8, "-1", 0xff},
        {WINNOW_INT16, "- 0X8000", 0x8000},
        {WINNOW_UINT16, "65535", 0xffff},
        {WINNOW_INT64, "-9223372036854775808", UINT64_C(1) << 63},
        {WINNOW_UINT64, "0xFFFFffffFFFFffff", UINT64_MAX},
        {WINNOW_UINT64, "01777777777777777777777", UINT64_MAX},
        {WINNOW_UINT32, "000", 0},
        /* Halfway between two: to the even one; and past it, by little. */
        {WINNOW_FLOAT16, "2049", 0x6800},
        {WINNOW_FLOAT16, "2049.00000000000000000000000001", 0x6801},
        {WINNOW_FLOAT16, "2051", 0x6802},
        {WINNOW_FLOAT16, "2050.99999999999999999999999999", 0x6801},
        {WINNOW_FLOAT16, "65519.999", 0x7bff},
        {WINNOW_FLOAT16, "5.9604644775390625e-8", 1},
        {WINNOW_FLOAT16, "2.98023223876953126e-8", 1},
        {WINNOW_FLOAT16, "8.940696716308593749e-8", 1},
        {WINNOW_FLOAT16, "8.940696716308593750e-8", 2},
        {WINNOW_FLOAT16, "6.1035156e-5", 0x400},
        {WINNOW_BFLOAT16, "0.1", 0x3dcd},
        {WINNOW_BFLOAT16, "-3.14159", 0xc049},
        {WINNOW_FLOAT32, "16777217", 0x4b800000},
        {WINNOW_FLOAT32, "16777217.0000001", 0x4b800001},
        {WINNOW_FLOAT32, "3.4028235e38", 0x7f7fffff},
        {WINNOW_FLOAT32, "1e-45", 1},
        {WINNOW_FLOAT32, "0x10", 0x41800000},
        {WINNOW_FLOAT32, "010", 0x41000000},
        {WINNOW_FLOAT32, "010.", 0x41200000},
        {WINNOW_FLOAT32, ".5", 0x3f000000},
        {WINNOW_FLOAT32, "5.e-1", 0x3f000000},
        {WINNOW_FLOAT64, "9007199254740993", 0x4340000000000000},
        {WINNOW_FLOAT64, "9007199254740993.00000001", 0x4340000000000001},
        {WINNOW_FLOAT64, "4.9e-324", 1},
        {WINNOW_FLOAT64, "2.2250738585072011e-308", 0x000fffffffffffff},
        {WINNOW_FLOAT64, "1.7976931348623157e308", 0x7fefffffffffffff},
        {WINNOW_FLOAT64, "17976931348623157E+292", 0x7fefffffffffffff},
    };
    winnow_context *const context = host_context();

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        check_number(context, cases[i].type, cases[i].number, cases[i].bits);
    winnow_context_destroy(context);
}

/* Against strtod() and strtof(). */
Test(parse, random_numbers) {
    const unsigned trials = reduced_mode() ? 1000 : 20000;
    winnow_context *const context = host_context();
    uint64_t seed = 5;

    for (unsigned i = 0; i < trials; i++) {
        const bool wide = draw_next(&seed, 2) != 0;
        const int range = wide ? 330 : 50;
        char number[64];
        double value;
        float narrow;
        uint64_t bits = 0;

        snprintf(number, sizeof(number), "%" PRIu64 ".%" PRIu64 "e%d",
                 draw_next(&seed, 1 + (UINT64_C(1) << draw_next(&seed, 60))),
                 draw_next(&seed, UINT64_C(1) << 60),
                 (int)draw_next(&seed, (uint64_t)(2 * range)) - range);
        value = strtod(number, NULL);
        narrow = strtof(number, NULL);
        /* A zero would be two elements. */
        if (wide ? isinf(value) || value == 0.0
                 : isinf(narrow) || narrow == 0.0f)
            continue;
        if (wide)
            memcpy(&bits, &value, 8);
        else
            memcpy(&bits, &narrow, 4);
        check_number(context, wide ? WINNOW_FLOAT64 : WINNOW_FLOAT32, number,
                     bits);
    }
    winnow_context_destroy(context);
}

/* Integers that the column's type cannot hold: a comparison with one is true of
 * all elements, or of none. */
Test(parse, beyond_the_type) {
    static const struct {
        winnow_type type;
        const char *text;
        bool all;
    } cases[] = {
        {WINNOW_UINT8, "x < 256", true},
        {WINNOW_UINT8, "x <= 0x100", true},
        {WINNOW_UINT8, "x != 256", true},
        {WINNOW_UINT8, "x == 256", false},
        {WINNOW_UINT8, "x > 256", false},
        {WINNOW_UINT8, "x >= 99999999999999999999999999999", false},
        {WINNOW_UINT8, "x > -1", true},
        {WINNOW_UINT64, "x >= -1", true},
        {WINNOW_UINT64, "x < -1", false},
        {WINNOW_UINT64, "x <= -1", false},
        {WINNOW_UINT64, "x < 18446744073709551616", true},
        {WINNOW_UINT64, "18446744073709551616 > x", true},
        {WINNOW_INT8, "-129 < x < 128", true},
        {WINNOW_INT8, "x >= 128 || x <= -129", false},
        {WINNOW_INT16, "x in (32768, -32769)", false},
        {WINNOW_INT16, "!(x in (32768, -32769))", true},
        {WINNOW_INT32, "x == 2147483648", false},
        {WINNOW_INT64, "x > -9223372036854775809", true},
    };
    winnow_context *const context = host_context();

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const winnow_type type = cases[i].type;
        const winnow_field field = {"x", type};
        uint64_t specials[ELEMENT_SPECIALS], count = 77;
        const size_t number = element_specials(type, specials);
        _Alignas(16) unsigned char in[ELEMENT_SPECIALS * 8], selection[544];
        const winnow_in column = {.type = type, .d_base = in};
        winnow_condition *condition;

        for (size_t j = 0; j < number; j++)
            element_store(type, in + j * element_size(type), specials[j]);
        cr_assert_eq(
            winnow_condition_parse(&condition, &field, 1, cases[i].text),
            WINNOW_OK, "%s: %s", cases[i].text, winnow_last_error());
        cr_assert_eq(winnow_select_where(context, condition, &column, 1, number,
                                         selection, sizeof(selection), NULL),
                     WINNOW_OK);
        cr_assert_eq(
            winnow_selection_count(context, selection, number, &count, NULL),
            WINNOW_OK);
        cr_assert_eq(count, cases[i].all ? number : 0, "%s of %s",
                     cases[i].text, winnow_type_name(type));
        winnow_condition_destroy(condition);
    }
    winnow_context_destroy(context);
}

/* As many names as there is room for. */
Test(parse, long_names) {
    char names[3][121];
    winnow_field fields[3];
    winnow_condition *condition;

    for (unsigned i = 0; i < 3; i++) {
        memset(names[i], 'a' + (int)i, 120);
        names[i][120] = '\0';
        fields[i] = (winnow_field){names[i], WINNOW_INT8};
    }
    cr_assert_eq(winnow_condition_parse(&condition, fields, 3, "x"),
                 WINNOW_ERR_SYNTAX);
    cr_assert_not_null(strstr(winnow_last_error(), names[0]));
    cr_assert_str_eq(winnow_last_error() + strlen(winnow_last_error()) - 8,
                     "aaa, ...");
    cr_assert_eq(winnow_condition_parse(&condition, fields, 0, "x"),
                 WINNOW_ERR_SYNTAX);
    cr_assert_str_eq(winnow_last_error(),
                     "line 1, column 1: found 'x', which is the name of no "
                     "column. Names: there is none");
}

/* -------------------------------------------------------- random expressions
 */

struct writer {
    uint64_t seed;
    const struct pool *pools;
    struct expression *expression;
    unsigned tests; /* that are left */
    size_t length;
    char text[1 << 14];
};

static void put(struct writer *w, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* A word, and maybe some space. */
static void put(struct writer *w, const char *format, ...) {
    static const char *const spaces[] = {"", "", " ", "\n", "\t "};
    va_list arguments;

    va_start(arguments, format);
    w->length += (size_t)vsnprintf(
        w->text + w->length, sizeof(w->text) - w->length, format, arguments);
    va_end(arguments);
    w->length +=
        (size_t)snprintf(w->text + w->length, sizeof(w->text) - w->length, "%s",
                         spaces[draw_next(&w->seed, 5)]);
}

static void put_number(struct writer *w, winnow_type type, uint64_t bits) {
    const int64_t number = element_to_signed(type, bits);
    const uint64_t magnitude =
        number < 0 && element_is_signed(type) ? 0 - (uint64_t)number : bits;

    if (element_is_float(type)) {
        const double value = element_to_double(type, bits);

        if (signbit(value))
            put(w, "-");
        if (draw_next(&w->seed, 2))
            put(w, "%.17g", fabs(value));
        else
            put(w, "%.20e", fabs(value));
        return;
    }
    if (number < 0 && element_is_signed(type))
        put(w, "-");
    switch (draw_next(&w->seed, 3)) {
    case 0:
        put(w, "%" PRIu64, magnitude);
        break;
    case 1:
        put(w, "0x%" PRIx64, magnitude);
        break;
    default:
        put(w, "0%" PRIo64, magnitude);
        break;
    }
}

static bool is_finite(winnow_type type, uint64_t bits) {
    return !element_is_float(type) ||
           (bits & element_infinity(type)) != element_infinity(type);
}

/* An element that a text can name. */
static uint64_t draw_finite(struct writer *w, const struct pool *pool) {
    const uint64_t bits = pool->bits[draw_next(&w->seed, CONDITION_POOL)];

    return is_finite(pool->type, bits) ? bits : element_middle(pool->type);
}

static const char *const compare_words[] = {"<", "<=", "==", "!=", ">=", ">"};
static const char *const mirrored_words[] = {">", ">=", "==", "!=", "<=", "<"};

static unsigned write_comparison(struct writer *w, unsigned column) {
    const winnow_type type = w->pools[column].type;
    const struct rule rule = {.type = type,
                              .kind = RULE_COMPARE,
                              .compare = (winnow_compare)draw_next(&w->seed, 6),
                              .low = draw_finite(w, &w->pools[column])};

    if (draw_next(&w->seed, 2)) {
        put(w, "%s ", winnow_type_name(type));
        put(w, "%s", compare_words[rule.compare]);
        put_number(w, type, rule.low);
    } else {
        put_number(w, type, rule.low);
        put(w, "%s", mirrored_words[rule.compare]);
        put(w, "%s ", winnow_type_name(type));
    }
    return expression_test(w->expression, column, &rule);
}

/* low < x <= high, or the other way round. */
static unsigned write_range(struct writer *w, unsigned column) {
    const winnow_type type = w->pools[column].type;
    const bool falling = draw_next(&w->seed, 2) != 0;
    struct rule first = {.type = type,
                         .compare =
                             draw_next(&w->seed, 2) ? WINNOW_GT : WINNOW_GE,
                         .low = draw_finite(w, &w->pools[column])};
    struct rule second = {.type = type,
                          .compare =
                              draw_next(&w->seed, 2) ? WINNOW_LT : WINNOW_LE,
                          .low = draw_finite(w, &w->pools[column])};
    unsigned a, b;

    if (falling) {
        const struct rule swap = first;

        first = second;
        second = swap;
    }
    put_number(w, type, first.low);
    put(w, "%s", mirrored_words[first.compare]);
    put(w, "%s ", winnow_type_name(type));
    put(w, "%s", compare_words[second.compare]);
    put_number(w, type, second.low);
    a = expression_test(w->expression, column, &first);
    b = expression_test(w->expression, column, &second);
    return expression_join(w->expression, EXPRESSION_AND, a, b);
}

static unsigned write_list(struct writer *w, unsigned column) {
    const winnow_type type = w->pools[column].type;
    const unsigned number = 1 + (unsigned)draw_next(&w->seed, 4);
    unsigned root = 0;

    put(w, "%s ", winnow_type_name(type));
    put(w, "in");
    put(w, "(");
    for (unsigned i = 0; i < number; i++) {
        const struct rule rule = {.type = type,
                                  .compare = WINNOW_EQ,
                                  .low = draw_finite(w, &w->pools[column])};
        unsigned leaf;

        if (i != 0)
            put(w, ",");
        put_number(w, type, rule.low);
        leaf = expression_test(w->expression, column, &rule);
        root = i == 0
                   ? leaf
                   : expression_join(w->expression, EXPRESSION_OR, root, leaf);
    }
    put(w, ")");
    return root;
}

/* Of integers: bits under a mask. Of floats: NaN, and finite or not. */
static unsigned write_special(struct writer *w, unsigned column) {
    const winnow_type type = w->pools[column].type;
    const char *const name = winnow_type_name(type);
    const unsigned way = (unsigned)draw_next(&w->seed, 3);
    struct rule rule = {.type = type, .kind = RULE_BITS};
    unsigned leaf;

    if (element_is_float(type)) {
        const bool finite = way == 0;

        put(w, "%s", finite ? "isfinite" : "isnan");
        put(w, "(");
        put(w, "%s", name);
        put(w, ")");
        rule.kind = RULE_RANGE;
        rule.high = element_infinity(type) - finite;
        rule.low = rule.high | element_top_bit(type);
        leaf = expression_test(w->expression, column, &rule);
        return finite
                   ? leaf
                   : expression_join(w->expression, EXPRESSION_NOT, leaf, leaf);
    }
    rule.mask = w->pools[column].bits[draw_next(&w->seed, CONDITION_POOL)];
    if (way != 0)
        rule.value = rule.mask &
                     w->pools[column].bits[draw_next(&w->seed, CONDITION_POOL)];
    put(w, "(");
    if (draw_next(&w->seed, 2)) {
        put(w, "%s ", name);
        put(w, "&");
        put(w, "0x%" PRIx64, rule.mask);
    } else {
        put(w, "%" PRIu64, rule.mask);
        put(w, "&");
        put(w, "%s", name);
    }
    put(w, ")");
    leaf = expression_test(w->expression, column, &rule);
    if (way == 1) {
        put(w, "==");
        put(w, "%" PRIu64, rule.value);
        return leaf;
    }
    /* By itself it stands for: not 0. */
    if (way == 2) {
        put(w, "!=");
        put(w, "%" PRIu64, rule.value);
    }
    return expression_join(w->expression, EXPRESSION_NOT, leaf, leaf);
}

/* A column by itself: it is not 0. */
static unsigned write_column(struct writer *w, unsigned column) {
    const struct rule rule = {.type = w->pools[column].type,
                              .compare = WINNOW_NE};

    put(w, "%s ", winnow_type_name(rule.type));
    return expression_test(w->expression, column, &rule);
}

static unsigned write_test(struct writer *w) {
    const unsigned column = (unsigned)draw_next(&w->seed, FIELDS);

    switch (draw_next(&w->seed, 8)) {
    case 0:
        return write_range(w, column);
    case 1:
        return write_list(w, column);
    case 2:
        return write_special(w, column);
    case 3:
        return write_column(w, column);
    default:
        return write_comparison(w, column);
    }
}

/* How tightly what is around binds: 0, ||, &&, !. */
static unsigned write_expression(struct writer *w, unsigned around,
                                 unsigned tests) {
    const unsigned kind = tests == 1 ? 3 : 1 + (unsigned)draw_next(&w->seed, 2);
    const bool negated = draw_next(&w->seed, 5) == 0;
    const bool wrapped =
        negated || kind < around || draw_next(&w->seed, 6) == 0;
    unsigned root;

    if (negated)
        put(w, "!");
    if (wrapped)
        put(w, "(");
    if (kind == 3) {
        root = write_test(w);
    } else {
        const unsigned left = 1 + (unsigned)draw_next(&w->seed, tests - 1);
        unsigned a, b;

        a = write_expression(w, kind, left);
        put(w, "%s", kind == 1 ? "||" : "&&");
        b = write_expression(w, kind, tests - left);
        root = expression_join(
            w->expression, kind == 1 ? EXPRESSION_OR : EXPRESSION_AND, a, b);
    }
    if (wrapped)
        put(w, ")");
    return negated ? expression_join(w->expression, EXPRESSION_NOT, root, root)
                   : root;
}

/* An expression, as text and for the oracle, is the same for random rows. */
Test(parse, random_expressions) {
    enum {
        ROWS = 200
    };
    const unsigned trials = reduced_mode() ? 500 : 20000;
    winnow_field fields[FIELDS];
    struct backend backend;
    struct table table = {.columns = FIELDS};
    static struct writer w;
    static struct expression expression;

    make_fields(fields);
    backend_open_host(&backend);
    for (unsigned c = 0; c < FIELDS; c++)
        pool_random(&table.pools[c], element_type(c), 40 + c);
    table_open(&table, &backend, ROWS);
    table_fill(&table, ROWS, 1, 41);
    for (unsigned trial = 0; trial < trials; trial++) {
        winnow_condition *condition;
        struct report report = {{0}};

        expression.number = 0;
        w.seed = 4200 + trial;
        w.pools = table.pools;
        w.expression = &expression;
        w.length = 0;
        /* A list has up to 4 tests. */
        write_expression(&w, 0, 1 + (unsigned)draw_next(&w.seed, 12));
        cr_assert_eq(winnow_condition_parse(&condition, fields, FIELDS, w.text),
                     WINNOW_OK, "%s: %s", w.text, winnow_last_error());
        cr_assert_eq(table_select(&table, condition, ROWS, UINT64_MAX),
                     WINNOW_OK);
        cr_assert(table_check(&table, &expression, ROWS, UINT64_MAX, &report),
                  "%s: %s", w.text, report.text);
        winnow_condition_destroy(condition);
    }
    table_close(&table);
    backend_close(&backend);
}
