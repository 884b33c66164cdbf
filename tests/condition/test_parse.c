/*
 * winnow_condition_parse: what texts mean, and what is said of wrong ones.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* memfd_create() */
#endif
#include <config.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "data.h"
#include "element.h"
#include "reduced.h"
#include "suite.h"
#include "table.h"

#define FIELDS ELEMENT_TYPES

/* A field of each type, under its name. */
static void make_fields(winnow_field fields[FIELDS]) {
    for (unsigned i = 0; i < FIELDS; i++)
        fields[i] = (winnow_field){.name = winnow_type_name(element_type(i)),
                                   .type = element_type(i)};
}

/* ------------------------------------------------------------------ mistakes
 */

#define OPERAND                                                                \
    "expected one of: a column, a number, a text, '-', 'not', 'true', "        \
    "'false', a function, '('"
#define BOUND                                                                  \
    "expected one of: a column, a number, a text, '-', 'true', "               \
    "'false', a function, '!', '('"
#define ELEMENT                                                                \
    "expected one of: a column, a number, a text, '-', 'true', "               \
    "'false', a function, '!', ')', '('"
#define OPERATORS                                                              \
    "'and', 'or', a comparison such as '<' or '=', 'in', 'between', 'not'"
#define PLUS "an operator such as '+'"
#define OPERATOR                                                               \
    "expected one of: the end, " OPERATORS ", 'like', " PLUS ", '&'"
#define COLUMNS                                                                \
    "The columns are int8, int16, int32, int64, uint8, uint16, uint32, "       \
    "uint64, float16, bfloat16, float32, float64"
#define SIGNS "use +, -, *, /, // and %"
#define COMPARED                                                               \
    "a condition is compared with nothing: it is joined by 'and' and 'or'"
#define RANGE                                                                  \
    "a condition has no order; the middle of a range is a column, or "         \
    "computed of some, as in 10 <= x <= 20"
#define INFINITE                                                               \
    "infinity is 1 / 0, and its opposite -1 / 0; isfinite(x) is false of both"
#define BITWISE                                                                \
    "use 'or' or || between conditions: there is no bitwise or, bits are "     \
    "asked for by (flags & 7) = 3"
#define CLAUSES                                                                \
    "the text is what stands behind SQL's where, one condition and no more"
#define QUOTED "a name stands in double quotes"
#define SYNTAX WINNOW_ERR_SYNTAX
#define UNSUPPORTED WINNOW_ERR_UNSUPPORTED

/* All are of line 1. */
static const struct mistake {
    const char *text;
    winnow_status status;
    unsigned column;
    const char *detail;
} mistakes[] = {
    {"", SYNTAX, 1, "found the end, " OPERAND},
    {" \t ", SYNTAX, 4, "found the end, " OPERAND},
    {"int8 <", SYNTAX, 7, "found the end, " BOUND},
    {"int8 < 3 )", SYNTAX, 10, "found ')', " OPERATOR},
    {"int8 < 3 int16", SYNTAX, 10, "found 'int16', " OPERATOR},
    {"(int8 < 3", SYNTAX, 10,
     "found the end, expected one of: " OPERATORS ", 'like', " PLUS
     ", ')', '&'"},
    {"int8 < 3 and or int16", SYNTAX, 14, "found 'or', " OPERAND},
    {"not", SYNTAX, 4, "found the end, " OPERAND},
    {"int8 not = 3", SYNTAX, 10,
     "found '=', expected one of: 'in', 'between', 'like'"},
    {"int8 === 3", SYNTAX, 6, "found '===': use ="},
    {"int8 !== 3", SYNTAX, 6, "found '!==': use <>"},
    {"int8 => 3", SYNTAX, 6, "found '=>': use >="},
    {"int8 =< 3", SYNTAX, 6, "found '=<': use <="},
    {"int8 > 5 | int16 < 3", SYNTAX, 10, "found '|': " BITWISE},
    {"(int8 | 2) = 3", SYNTAX, 7, "found '|': " BITWISE},
    {"int8 < 3;", SYNTAX, 9,
     "found ';': a text is one condition, without a sign that ends it"},
    {"int8 in [1, 2]", SYNTAX, 9,
     "found '[': a list stands in parentheses, as in x in (1, 2)"},
    {"`int8` < 3", SYNTAX, 1, "found '`': " QUOTED},
    {"int8 < \x01", SYNTAX, 8, "found byte 0x01, with which no word begins"},
    {"int8 < ?", SYNTAX, 8, "found '?', with which no word begins"},
    /* Numbers and what is taken for them. */
    {"float32 < inf", SYNTAX, 11, "found 'inf': " INFINITE},
    {"float32 > -Infinity", SYNTAX, 12, "found 'Infinity': " INFINITE},
    {"float32 == NaN", SYNTAX, 12,
     "found 'NaN': use isnan(x): a NaN equals nothing"},
    {"int8 is 5", SYNTAX, 6,
     "found 'is': write x is null, or is not null, is true, is false, is "
     "unknown"},
    {"int8 like 'a%'", UNSUPPORTED, 11,
     "found 'a%', a text: 'int8' is of int8; " QUOTED},
    {"int8 like 3", SYNTAX, 6,
     "found 'like': a text in single quotes follows it, as in name like 'a%'"},
    {"int8 == 'R'", UNSUPPORTED, 9,
     "found 'R', a text: 'int8' is of int8; a character is its number, 82"},
    {"int8 == 'Rio' && int16", UNSUPPORTED, 9,
     "found 'Rio', a text: 'int8' is of int8; " QUOTED},
    {"int8 == '", SYNTAX, 9, "found ', a text that no ''' ends"},
    {"int8 == '\xc3\xa4'", UNSUPPORTED, 9,
     "found '\xc3\xa4', a text: 'int8' is of int8; " QUOTED},
    {"float32 < 5,5", SYNTAX, 12,
     "found ',' (a number has a decimal point, as in 5.5), " OPERATOR},
    {"int8 < 3x", SYNTAX, 8, "found '3x', which is no number"},
    {"int8 < 09", SYNTAX, 8,
     "found '09', which is no number: a 0 in front makes it octal, use 9"},
    {"int8 < 0018", SYNTAX, 8,
     "found '0018', which is no number: a 0 in front makes it octal, use 18"},
    {"int8 < 09x", SYNTAX, 8, "found '09x', which is no number"},
    {"int8 < 0x", SYNTAX, 8, "found '0x', which is no number"},
    {"int8 < 1.2.3", SYNTAX, 8, "found '1.2.3', which is no number"},
    {"float32 < 1e", SYNTAX, 11, "found '1e', which is no number"},
    {"7", SYNTAX, 1, "found a number, expected a condition"},
    {"int8 < 3 && 7", SYNTAX, 13, "found a number, expected a condition"},
    /* Names. */
    {"unknown < 3", SYNTAX, 1, "found 'unknown', which is no column. " COLUMNS},
    {"Int8 < 3", SYNTAX, 1,
     "found 'Int8', which is no column. There is 'int8': upper and lower case "
     "differ"},
    {"int8 == \"R\"", SYNTAX, 9,
     "found \"R\", which is no column: double quotes are around "
     "names. " COLUMNS},
    {"\"int8 \" < 3", SYNTAX, 1,
     "found \"int8 \", which is no column: double quotes are around "
     "names. " COLUMNS},
    {"int8 < 3 and \"int16", SYNTAX, 14,
     "found \"int16, a name that no '\"' ends"},
    {"\"int8\"\" < 3", SYNTAX, 1,
     "found \"int8\"\" < 3, a name that no '\"' ends"},
    {"gr\xc3\xb6\xc3\x9f"
     "e < 3",
     SYNTAX, 1,
     "found 'gr\xc3\xb6\xc3\x9f"
     "e', which is no column. " COLUMNS},
    {"log(int8) < 3", UNSUPPORTED, 1,
     "found 'log(': the functions are abs, cast, ceil, contains, day, "
     "ends_with, floor, hour, isfinite, isnan, length, max, min, minute, "
     "month, "
     "round, second, sqrt, starts_with and year"},
    {"isnan", SYNTAX, 1, "found 'isnan', which is no column. " COLUMNS},
    /* Words behind a value, where no column may stand. */
    {"int8 = 1 an int16 = 2", SYNTAX, 10, "found 'an', " OPERATOR},
    {"int8 < 3 or int16 > 5 unknwon", SYNTAX, 23, "found 'unknwon', " OPERATOR},
    {"int8 < 3 foo(1)", SYNTAX, 10, "found 'foo', " OPERATOR},
    {"(int8) log(3)", SYNTAX, 8, "found 'log', " OPERATOR},
    {"int8 = 'O'Neill'", SYNTAX, 11,
     "found 'Neill' (a ' inside of a text is written twice, as in "
     "'O''Neill'), " OPERATOR},
    {"int8 \xc2\xa0< 3", SYNTAX, 6,
     "found '\xc2\xa0' (it has the character U+00A0), " OPERATOR},
    {"int8\xe2\x80\x8b < 3", SYNTAX, 1,
     "found 'int8\xe2\x80\x8b', which is no column: it has the character "
     "U+200B. " COLUMNS},
    {"gro\xcc\x88\xc3\x9f"
     "e < 3",
     SYNTAX, 1,
     "found 'gro\xcc\x88\xc3\x9f"
     "e', which is no column: it has the character U+0308. " COLUMNS},
    {"\"int8\xef\xbb\xbf\" < 3", SYNTAX, 1,
     "found \"int8\xef\xbb\xbf\", which is no column: double quotes are around "
     "names: it has the character U+FEFF. " COLUMNS},
    {"\"\" < 3", SYNTAX, 1,
     "found \"\", a name that is empty: no column has it"},
    /* Words of other languages, wherever they stand. */
    {"int8 ilike 'a%'", SYNTAX, 6,
     "found 'ilike': upper and lower case differ: write name like 'a%' or "
     "name like 'A%'"},
    {"int8 < 3 LIMIT 5", SYNTAX, 10, "found 'LIMIT': " CLAUSES},
    {"select int8 from t", SYNTAX, 1, "found 'select': " CLAUSES},
    {"int8 < 3 order by int8", SYNTAX, 10, "found 'order': " CLAUSES},
    {"int8 starts_with 'a'", SYNTAX, 6,
     "found 'starts_with': it is a function, as in starts_with(name, 'a')"},
    {"int8 similar to 'a'", SYNTAX, 6,
     "found 'similar': patterns are of like, as in name like 'a%', and there "
     "are starts_with, ends_with and contains"},
    {"int8 = 'a' collate nocase", SYNTAX, 12,
     "found 'collate': strings compare by their bytes, without collate"},
    {"case when int8 = 1 then 2 end = 2", SYNTAX, 1,
     "found 'case': a value is not chosen: write a condition, as in x > 1 and "
     "a = 3 or x <= 1 and b = 3"},
    {"coalesce(int8, 1) = 1", UNSUPPORTED, 1,
     "found 'coalesce(': a null is asked for: write x > 3 or x is null, or x > "
     "3 and x is not null"},
    {"int8 > interval '1' day", SYNTAX, 8,
     "found 'interval': write a duration, as in duration '90 d'"},
    {"date 5 > int8", SYNTAX, 1,
     "found 'date': a text in quotes follows it, as in date '2024-01-31'"},
    {"date(int8) > 3", UNSUPPORTED, 1,
     "found 'date(': a text in quotes follows it, as in date '2024-01-31'"},
    {"int8 mod 2 = 1", SYNTAX, 6, "found 'mod': write x % y"},
    {"Mod (int8, 2) = 1", UNSUPPORTED, 1, "found 'Mod(': write x % y"},
    {"int8 <=> int16", SYNTAX, 6,
     "found '<=>': use x = y or x is null and y is null"},
    {"int8 is distinct from 3", SYNTAX, 6,
     "found 'is distinct from': use x = y or x is null and y is null"},
    {"int8 IS not\n DISTINCT from 3", SYNTAX, 6,
     "found 'IS not\n DISTINCT from': use x = y or x is null and y is null"},
    {"int8 ~ 'a'", SYNTAX, 6,
     "found '~': use like, starts_with, ends_with or contains"},
    {"int8.low = 3", SYNTAX, 5,
     "found '.': a name with a point stands in double quotes; of structs no "
     "field is asked"},
    {"int8 ~~ 'a'", SYNTAX, 6, "found '~~': use like, not like or starts_with"},
    {"int8 = any (1)", UNSUPPORTED, 8,
     "found 'any(': write x in (1, 2), or comparisons with or"},
    /* How many arguments. */
    {"round(float32, 1) = 1", SYNTAX, 14,
     "found ',', but round takes one argument"},
    {"1 < abs((int8), 1)", SYNTAX, 15, "found ',', but abs takes one argument"},
    {"isnan(float32, 1)", SYNTAX, 14,
     "found ',', but isnan takes one argument"},
    {"min(int8) = 1", SYNTAX, 9, "found ')', but min takes two arguments"},
    {"max(min(int8, 1)) = 1", SYNTAX, 17,
     "found ')', but max takes two arguments"},
    {"max(int8, 2, 3) = 1", SYNTAX, 12,
     "found ',', but max takes two arguments"},
    {"Starts_With(int8)", SYNTAX, 17,
     "found ')', but Starts_With takes two arguments"},
    {"abs((int8 , 1)) = 1", SYNTAX, 11,
     "found ',', expected one of: " OPERATORS ", 'like', " PLUS ", ')', '&'"},
    {"int8 < '30'", UNSUPPORTED, 8,
     "found '30', a text: 'int8' is of int8; write 30, without quotes"},
    {"float32 in (1, '-1.5e3')", UNSUPPORTED, 16,
     "found '-1.5e3', a text: 'float32' is of float32; write -1.5e3, without "
     "quotes"},
    {"int32 = '-00123'", UNSUPPORTED, 9,
     "found '-00123', a text: 'int32' is of int32; write -123, without quotes"},
    {"1 < 2 < int8", UNSUPPORTED, 7, RANGE},
    {"int8 < 3 < int16", UNSUPPORTED, 10, RANGE},
    /* Lists and ranges. */
    {"int8 in (1,,2)", SYNTAX, 12, "found ',', " ELEMENT},
    {"int8 in (,)", SYNTAX, 10, "found ',', " ELEMENT},
    {"int8 in (1 2)", SYNTAX, 12,
     "found '2', expected one of: " PLUS ", ')', ','"},
    {"int8 in (1, int16)", UNSUPPORTED, 13,
     "found 'int16', expected a constant: write int8 = int16 or ..."},
    {"int8 in (1, int16 + 1)", UNSUPPORTED, 13,
     "found 'int16 + 1', expected a constant: write int8 = int16 + 1 or ..."},
    {"int8 in (1, (int16 = 3))", UNSUPPORTED, 13,
     "found '(int16 = 3)', expected a constant: write int8 = (int16 = 3) or "
     "..."},
    {"int8 in (1, (int16 in (3)))", UNSUPPORTED, 20,
     "found 'in' inside of a list, which has constants alone"},
    {"int8 in (1, 2.5::float64)", UNSUPPORTED, 13,
     "found '2.5::float64' of float64, 'int8' is of int8: write int8 = "
     "2.5::float64 or ..."},
    {"int8 in (1", SYNTAX, 11,
     "found the end, expected one of: " PLUS ", ')', ','"},
    {"int8 in (X'00')", UNSUPPORTED, 10,
     "found X'00', a text: 'int8' is of int8; " QUOTED},
    {"int8 = X'0'", SYNTAX, 8,
     "found X'0', expected two hexadecimal digits of each byte, as in "
     "X'00ff'"},
    {"int8 = x'0g'", SYNTAX, 8,
     "found x'0g', expected two hexadecimal digits of each byte, as in "
     "X'00ff'"},
    {"int8 = X'00", SYNTAX, 8, "found 'X', which is no column. " COLUMNS},
    {"+'a' = 3", UNSUPPORTED, 2, "+ is of numbers and durations, found a text"},
    {"int8 in 5", SYNTAX, 9, "found '5', expected '('"},
    {"int8 < 3 not  in (1)", SYNTAX, 1, "expected a column before 'not  in'"},
    {"int8 between 1 && 2", SYNTAX, 16,
     "found '&&', expected one of: 'and', " PLUS},
    {"int8 between 1", SYNTAX, 15,
     "found the end, expected one of: 'and', " PLUS},
    {"int8 between 1 and", SYNTAX, 19, "found the end, " BOUND},
    {"int8 between (int16 < 1) and 3", UNSUPPORTED, 14,
     "found '(int16 < 1)', expected a number: as in x between 10 and 20"},
    {"3 < int8 > 7", UNSUPPORTED, 10,
     "the comparisons of a range go one way, as in 10 <= x <= 20"},
    /* Functions. */
    {"isnan(3)", SYNTAX, 7, "expected a column in the parentheses of isnan"},
    {"isnan(int8)", UNSUPPORTED, 7, "isnan is of floats: 'int8' is of int8"},
    /* What is compared with what. */
    {"int8 < 1 << 3", SYNTAX, 10, "found '<<': " SIGNS},
    {"int8 ** 2 = 3", SYNTAX, 6, "found '**': " SIGNS},
    {"~int8 == 3", SYNTAX, 1, "found '~': " SIGNS},
    {"(int8 < 3) == 1", UNSUPPORTED, 12, COMPARED},
    {"(3 < int8) < 7", UNSUPPORTED, 12, RANGE},
    {"!(int8 < 3) == 3", UNSUPPORTED, 13, COMPARED},
    {"(!int8) < 3", UNSUPPORTED, 9, RANGE},
    {"(not int8) < 3", UNSUPPORTED, 12, RANGE},
    {"int8 < 3 < 7", UNSUPPORTED, 10, RANGE},
    {"int8 between 1 and 5 < 7", UNSUPPORTED, 22, RANGE},
    {"int8 = true", UNSUPPORTED, 6,
     "true and false are conditions, and compared with nothing: for x = true "
     "write x, for x = false not x"},
    {"!int8 < 3", UNSUPPORTED, 1,
     "! applies before <, as in C: use not int8 < ..., or !(int8 < ...)"},
    {"!int8 == 3", UNSUPPORTED, 1,
     "! applies before ==, as in C: use not int8 == ..., or !(int8 == ...)"},
    {"!int8 in (1)", UNSUPPORTED, 1,
     "! applies before in, as in C: use not int8 in ..., or !(int8 in ...)"},
    {"!int8 & 4", UNSUPPORTED, 1,
     "! applies before &, as in C: use not int8 & ..., or !(int8 & ...)"},
    /* Masks. */
    {"int8 & 7 == 3", SYNTAX, 10,
     "write (int8 & 7) == 3, as Python reads it, or int8 & (7 == 3), as C "
     "does"},
    {"3 <> -1 & int8", SYNTAX, 3,
     "write 3 <> (-1 & int8), as Python reads it, or (3 <> -1) & int8, as C "
     "does; conditions are joined by 'and' or &&"},
    {"int8 < 3 & int16 > 1", SYNTAX, 6,
     "write int8 < (3 & int16), as Python reads it, or (int8 < 3) & int16, as "
     "C does; conditions are joined by 'and' or &&"},
    {"int8 & 7 in (1, 2)", SYNTAX, 1,
     "write (int8 & 7) in ...: & needs parentheses beside a comparison"},
    {"int8 & 7 between 1 and 2", SYNTAX, 1,
     "write (int8 & 7) between ...: & needs parentheses beside a comparison"},
    {"(3 & 7) == int8", SYNTAX, 6,
     "found a number on both sides of &, expected a column"},
    {"(float32 & 7) == 3", UNSUPPORTED, 12,
     "& is of integers: 'float32' is of float32"},
    {"(int8 & uint8) == 3", UNSUPPORTED, 9,
     "& is of one column and one number"},
    {"int8 & 1 & 1", UNSUPPORTED, 12, "& is of one column and one number"},
    {"(int8 < 3) & (int8 > 1)", UNSUPPORTED, 14,
     "& takes the bits of a column, as in (flags & 7) = 3: conditions are "
     "joined by 'and' or &&"},
    {"(int8 & 1.5) = 1", SYNTAX, 9,
     "found 1.5, expected an integer: it is a mask of bits"},
    {"(int8 & 256) = 0", UNSUPPORTED, 9,
     "found 256: a mask of int8 is from -128 to 255"},
    {"(int8 & -129) = 0", UNSUPPORTED, 9,
     "found -129: a mask of int8 is from -128 to 255"},
    {"(uint8 & 18446744073709551616) = 0", UNSUPPORTED, 10,
     "found 18446744073709551616: a mask of uint8 is from "
     "-9223372036854775808 to 18446744073709551615"},
};

static void check_mistake(const winnow_field *fields, const char *text,
                          winnow_status status, const char *detail) {
    winnow_condition *condition = NULL;

    cr_assert_eq(winnow_condition_parse(&condition, fields, FIELDS, text),
                 status, "%.1000s: %s", text, winnow_last_error());
    cr_assert_str_eq(winnow_last_error(), detail, "%.1000s: %s", text,
                     winnow_last_error());
    cr_assert_null(condition);
}

Test(parse, mistakes) {
    winnow_field fields[FIELDS];

    make_fields(fields);
    for (size_t i = 0; i < sizeof(mistakes) / sizeof(mistakes[0]); i++) {
        const struct mistake *const mistake = &mistakes[i];
        char detail[512];

        snprintf(detail, sizeof(detail), "line 1, column %u: %s",
                 mistake->column, mistake->detail);
        check_mistake(fields, mistake->text, mistake->status, detail);
    }
    /* Lines are counted, also in names. */
    check_mistake(fields, "int8 < 3\r\n  &&\n && x", SYNTAX,
                  "line 3, column 2: found '&&', " OPERAND);
    check_mistake(fields, "int8 in (1,\n2,\n 3 4)", SYNTAX,
                  "line 3, column 4: found '4', expected one of: " PLUS
                  ", ')', ','");
    check_mistake(fields, "int8 < 3 and\n\"two\nlines\" < 3", SYNTAX,
                  "line 2, column 1: found \"two\nlines\", which is no column: "
                  "double quotes are around names. " COLUMNS);
}

static winnow_condition *must_parse(const winnow_field *fields, unsigned number,
                                    const char *text) {
    winnow_condition *condition = NULL;

    cr_assert_eq(winnow_condition_parse(&condition, fields, number, text),
                 WINNOW_OK, "%.1000s: %s", text, winnow_last_error());
    return condition;
}

/* Tests and columns: the place is that of the first one too many. */
Test(parse, most_tests) {
    enum {
        COLUMN_COUNT = WINNOW_CONDITION_MOST_COLUMNS + 1,
        BYTES = 1 << 16
    };
    static char names[COLUMN_COUNT][8];
    winnow_field fields[COLUMN_COUNT];
    winnow_condition *condition = NULL;
    char *const text = must_alloc(BYTES), detail[200];
    size_t length = 0, last = 0;

    for (unsigned i = 0; i < COLUMN_COUNT; i++) {
        sprintf(names[i], "c%u", i);
        fields[i] = (winnow_field){.name = names[i], .type = WINNOW_INT16};
    }
    for (unsigned i = 0; i <= WINNOW_CONDITION_MOST_TESTS; i++) {
        if (i == WINNOW_CONDITION_MOST_TESTS)
            winnow_condition_destroy(must_parse(fields, COLUMN_COUNT, text));
        length += (size_t)sprintf(text + length, "%s", i == 0 ? "" : " or\n");
        last = length;
        length += (size_t)sprintf(text + length,
                                  i % 2 ? "c1 in (-9, 900, %u)" : "c0 = %u", i);
    }
    snprintf(detail, sizeof(detail),
             "line %u, column 1: here is one test more than the 512 that a "
             "condition can have; a list, as in x in (1, 2), is one",
             WINNOW_CONDITION_MOST_TESTS + 1);
    cr_assert_eq(winnow_condition_parse(&condition, fields, COLUMN_COUNT, text),
                 UNSUPPORTED);
    cr_assert_str_eq(winnow_last_error(), detail);
    /* What a constant decides has no tests. */
    text[last] = '\0';
    strcat(text, "false");
    winnow_condition_destroy(must_parse(fields, COLUMN_COUNT, text));
    length = 0;
    for (unsigned i = 0; i < COLUMN_COUNT; i++) {
        if (i + 1 == COLUMN_COUNT)
            winnow_condition_destroy(must_parse(fields, COLUMN_COUNT, text));
        length += (size_t)sprintf(text + length, "%s%s",
                                  i == 0 ? "" : " and c0 and\n", names[i]);
    }
    cr_assert_eq(winnow_condition_parse(&condition, fields, COLUMN_COUNT, text),
                 UNSUPPORTED);
    cr_assert_str_eq(winnow_last_error(),
                     "line 65, column 1: here is one column more than the 64 "
                     "that a condition can test");
    length = (size_t)sprintf(text, "false and (");
    for (unsigned i = 0; i < 60; i++)
        length += (size_t)sprintf(text + length, "c%u or ", i);
    length += (size_t)sprintf(text + length, "c0)");
    for (unsigned i = 0; i < COLUMN_COUNT - 1; i++)
        length += (size_t)sprintf(text + length, " or c%u", i + 1);
    winnow_condition_destroy(must_parse(fields, COLUMN_COUNT, text));
    cr_assert_null(condition);
    free(text);
}

/* What is too much: digits, nesting, numbers in a list. */
Test(parse, limits) {
    enum {
        LARGE = 32 << 20
    };
    char *const text = must_alloc(LARGE);
    winnow_field fields[FIELDS];
    size_t length = 0;

    make_fields(fields);
    length = (size_t)sprintf(text, "float64 < 0.");
    memset(text + length, '1', 126);
    text[length + 126] = '\0';
    winnow_condition_destroy(must_parse(fields, FIELDS, text));
    text[length + 126] = '1';
    text[length + 127] = '\0';
    check_mistake(fields, text, UNSUPPORTED,
                  "line 1, column 11: a number of 129 characters: at most 128 "
                  "are possible");
    for (int way = 0; way < 3; way++) {
        memset(text, way == 0 ? '(' : '!', 100000);
        for (unsigned i = 0; way == 2 && i < 100000; i += 4)
            memcpy(text + i, "not ", 4);
        text[100000] = '\0';
        check_mistake(fields, text, UNSUPPORTED,
                      way == 2 ? "line 1, column 3993: the condition is nested "
                                 "too deeply"
                               : "line 1, column 999: the condition is nested "
                                 "too deeply");
    }
    memset(text, '!', 900);
    strcpy(text + 900, "int8");
    winnow_condition_destroy(must_parse(fields, FIELDS, text));
    /* Spaces cost nothing. */
    memset(text, '\n', LARGE);
    strcpy(text + LARGE - 10, "int8");
    winnow_condition_destroy(must_parse(fields, FIELDS, text));
    free(text);
}

Test(parse, most_numbers) {
    enum {
        MOST_NUMBERS = 1 << 24
    };
    const size_t bytes = 2 * MOST_NUMBERS + 100;
    char *text;
    winnow_field fields[FIELDS];
    size_t length;

    if (reduced_mode())
        cr_skip_test("reduced mode");
    text = must_alloc(bytes);
    make_fields(fields);
    length = (size_t)sprintf(text, "int8 in ( ");
    for (size_t i = 0; i < MOST_NUMBERS; i++)
        memcpy(text + length + 2 * i, "1,", 2);
    strcpy(text + length + 2 * MOST_NUMBERS, " 256, 1)");
    check_mistake(fields, text, UNSUPPORTED,
                  "line 1, column 33554449: here is one number more than "
                  "the 16777216 that a list can have");
    free(text);
}

/* A text that is too long by a byte: one piece of memory, over and over. */
Test(parse, most_bytes) {
    const size_t most = (size_t)1 << 30, piece = (size_t)1 << 20;
    const size_t bytes = most + 2 * piece;
    const int file = memfd_create("spaces", 0);
    char *const text = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    winnow_field fields[FIELDS];

    make_fields(fields);
    cr_assert(file >= 0 && text != MAP_FAILED);
    memset(text, ' ', piece);
    cr_assert_eq(write(file, text, piece), (ssize_t)piece);
    for (size_t at = 0; at < most + piece; at += piece)
        cr_assert(mmap(text + at, piece, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_FIXED, file, 0) != MAP_FAILED);
    text[most + 1] = '\0';
    check_mistake(fields, text, UNSUPPORTED,
                  "the text has more than 1073741824 bytes");
    munmap(text, bytes);
    close(file);
}

Test(parse, wrong_fields) {
    static char names[65536][8];
    winnow_field *const fields = must_alloc(65537 * sizeof(fields[0]));
    winnow_condition *condition = NULL;
#define WRONG(status, number, text)                                            \
    do {                                                                       \
        cr_assert_eq(                                                          \
            winnow_condition_parse(&condition, fields, (number), "a"),         \
            (status));                                                         \
        cr_assert_str_eq(winnow_last_error(), (text));                         \
    } while (0)

    for (unsigned i = 0; i < 65536; i++) {
        sprintf(names[i], "c%u", i);
        fields[i] = (winnow_field){.name = names[i], .type = WINNOW_INT8};
    }
    fields[65536] = (winnow_field){.name = "a", .type = WINNOW_INT8};
    WRONG(WINNOW_ERR_UNSUPPORTED, 65537,
          "field_count is 65537: at most 65536 are possible");
    condition = must_parse(fields, 65536, "c65535 = 3 and not c0 and c777");
    winnow_condition_destroy(condition);
    condition = NULL;
    fields[65535].name = "c7";
    WRONG(WINNOW_ERR_ARGUMENT, 65536,
          "fields[7] and fields[65535] are both "
          "'c7'");
    fields[0].type = (winnow_type)99;
    WRONG(WINNOW_ERR_ARGUMENT, 1, "fields[0].type 99 is no winnow_type");
    fields[0].type = WINNOW_INT8;
    fields[0].reserved[1] = 1;
    WRONG(WINNOW_ERR_ARGUMENT, 1, "fields[0].reserved is not 0");
    fields[0].reserved[1] = 0;
    fields[0].type = WINNOW_OPAQUE;
    fields[0].format = "w:7";
    cr_assert_eq(winnow_condition_parse(&condition, fields, 1, "a"),
                 WINNOW_ERR_UNSUPPORTED);
    fields[0].format = NULL;
    fields[0].name = NULL;
    WRONG(WINNOW_ERR_ARGUMENT, 1, "fields[0].name is NULL");
    fields[0].name = "";
    WRONG(WINNOW_ERR_SYNTAX, 1,
          "line 1, column 1: found 'a', which is no column. The columns have "
          "no names");
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
    free(fields);
}

/* Columns whose names are words, or need quotes: how messages show them. */
Test(parse, quoted_names) {
    static const winnow_field fields[] = {
        {.name = "AND", .type = WINNOW_INT8},
        {.name = "a b", .type = WINNOW_INT8},
        {.name = "True", .type = WINNOW_INT8},
        {.name = "isnan", .type = WINNOW_INT8},
        {.name = "8", .type = WINNOW_INT8},
        {.name = "x\"y", .type = WINNOW_INT8}};
    static const struct {
        const char *text, *detail;
    } wrong[] = {
        {"AND < 3", "line 1, column 1: found 'AND' (the column of this name is "
                    "written in double quotes), " OPERAND},
        {"and < 3", "line 1, column 1: found 'and', " OPERAND},
        {"True < 3",
         "line 1, column 6: true and false are conditions, and compared with "
         "nothing: for x = true write x, for x = false not x"},
        {"b < 3", "line 1, column 1: found 'b', which is no column. The "
                  "columns are \"AND\", \"a b\", \"True\", isnan, \"8\", "
                  "\"x\"\"y\""},
    };
    winnow_condition *condition = NULL;

    winnow_condition_destroy(
        must_parse(fields, 6,
                   "\"AND\" < 3 and \"a b\"and\"True\" AnD isnan < 3 and "
                   "\"isnan\" in (1) and 8<\"8\"or(\"x\"\"y\")"));
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        cr_assert_neq(
            winnow_condition_parse(&condition, fields, 6, wrong[i].text),
            WINNOW_OK);
        cr_assert_str_eq(winnow_last_error(), wrong[i].detail);
    }
    cr_assert_null(condition);
}

/* As many names as there is room for. */
Test(parse, long_names) {
    char names[3][121];
    winnow_field fields[3];
    winnow_condition *condition;

    for (unsigned i = 0; i < 3; i++) {
        memset(names[i], 'a' + (int)i, 120);
        names[i][120] = '\0';
        fields[i] = (winnow_field){.name = names[i], .type = WINNOW_INT8};
    }
    cr_assert_eq(winnow_condition_parse(&condition, fields, 3, "x"),
                 WINNOW_ERR_SYNTAX);
    cr_assert_not_null(strstr(winnow_last_error(), names[0]));
    cr_assert_str_eq(winnow_last_error() + strlen(winnow_last_error()) - 8,
                     "aaa, ...");
    cr_assert_eq(winnow_condition_parse(&condition, fields, 0, "x"),
                 WINNOW_ERR_SYNTAX);
    cr_assert_str_eq(winnow_last_error(),
                     "line 1, column 1: found 'x', which is no column. There "
                     "are no columns");
}

/* Which of four items are kept: x is 7, null, 10 and null, flag 1, 0, null and
 * null. */
Test(parse, nulls) {
    static const struct {
        const char *text;
        unsigned keep;
    } cases[] = {
        {"not (10 between null and 5)", 0xf},
        {"10 between null and 5", 0},
        {"5 between null and 10", 0},
        {"1 in (1, null)", 0xf},
        {"2 in (1, null)", 0},
        {"1 not in (1, null)", 0},
        {"2 not in (1, null)", 0},
        {"null in ()", 0},
        {"not (null in ())", 0xf},
        {"null in (1)", 0},
        {"x in (7, null)", 0x1},
        {"x not in (7, null)", 0},
        {"not (x in (7, 10))", 0},
        {"x = null", 0},
        {"x <> null", 0},
        {"not (x = null)", 0},
        {"null", 0},
        {"not null", 0},
        {"null is null", 0xf},
        {"5 is null", 0},
        {"x = null or true", 0xf},
        {"(x = null) is unknown", 0xf},
        {"x < 8 and null", 0},
        {"(x < 8 and null) is null", 0xb},
        {"x between null and 5", 0},
        {"not (x between null and 7)", 0x4},
        {"x not between null and 7", 0x4},
        {"x < 100000", 0x5},
        {"not (x < 100000)", 0},
        {"x >= 100000", 0},
        {"x is null", 0xa},
        {"x isnull", 0xa},
        {"x NotNull and not flag IsNull", 0x1},
        {"x < 8 isnull", 0xa},
        {"x + 1 notnull", 0x5},
        {"not x isnull", 0x5},
        {"x in (6 + 1, 2 * -(4 - 9))", 0x5},
        {"x not in (+7, - -10, 5 // 0)", 0},
        {"x in (cast(7 as int), min(10, 11),)", 0x5},
        {"x in (1e0 + 6, 20 / 2)", 0x5},
        {"7 in (3 + 4, 1)", 0xf},
        {"7 in (3 + 5, 1)", 0},
        {"x + 1 in (7 + 1)", 0x1},
        {"+x < 8 and + - -x > +5", 0x1},
        {"+null is null", 0xf},
        {"x is not null", 0x5},
        {"not x is null", 0x5},
        {"x < 8 is null", 0xa},
        {"(x < 8) is true", 0x1},
        {"(x < 8) is not true", 0xe},
        {"(x < 8) is false", 0x4},
        {"(x < 8 or flag) is unknown", 0xe},
        {"(x < 8 or flag) is not\n\tUNKNOWN", 0x1},
        {"flag", 0x1},
        {"not flag", 0x2},
        {"flag = true", 0x1},
        {"flag <> true", 0x2},
        {"flag is false", 0x2},
        {"flag is not false", 0xd},
        {"flag is unknown", 0xc},
        {"1 < x < null", 0},
        {"not (8 < x < null)", 0x1},
        {"x < 8 or x >= 8", 0x5},
        {"x is null or x > 8", 0xe},
        {"x is null and x > 8", 0},
        {"(x > 8) = null", 0x100},
    };
    static const winnow_field fields[] = {{.name = "x", .type = WINNOW_INT16},
                                          {.name = "flag", .type = WINNOW_BIT}};
    static const int16_t x[] = {7, 8, 10, 8};
    static const uint8_t valid = 0x5, bits = 0x9, known = 0x3;
    const winnow_in in[] = {
        {.type = WINNOW_INT16, .d_base = x, .d_valid = &valid},
        {.type = WINNOW_BIT, .d_base = &bits, .d_valid = &known}};
    _Alignas(16) unsigned char selection[1024];
    winnow_context *context;

    cr_assert_eq(winnow_context_create(&context, WINNOW_DEVICE_HOST),
                 WINNOW_OK);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        uint32_t keep;
        winnow_condition *condition;
        const winnow_status status =
            winnow_condition_parse(&condition, fields, 2, cases[i].text);

        if (cases[i].keep == 0x100) {
            cr_assert_eq(status, WINNOW_ERR_UNSUPPORTED, "%s", cases[i].text);
            continue;
        }
        cr_assert_eq(status, WINNOW_OK, "%s: %s", cases[i].text,
                     winnow_last_error());
        cr_assert_eq(winnow_select_where(context, condition, in, 2, 4,
                                         selection, sizeof(selection), NULL),
                     WINNOW_OK, "%s", winnow_last_error());
        memcpy(&keep, selection, sizeof(keep));
        cr_assert_eq(keep, cases[i].keep, "%s: %x", cases[i].text, keep);
        winnow_condition_destroy(condition);
    }
    winnow_context_destroy(context);
}

/* Columns of opaque types: a text and a call may ask whether they are null, and
 * nothing else, and their values are not read. */
Test(parse, opaque) {
    static const struct {
        const char *text;
        unsigned keep;
    } cases[] = {
        {"record is null", 0xa},
        {"record is not null", 0x5},
        {"not (record) is unknown", 0x5},
        {"((record is null)) or x > 9", 0xe},
        {"record is null and x is not null", 0xa},
        {"(record is null) is true", 0xa},
        {"x > 7 and record is not null", 0x4},
    };
    static const char *const asking[] = {
        "record",
        "not record",
        "!record",
        "record = 1",
        "1 < record",
        "record = null",
        "null <> record",
        "x < record",
        "record < x",
        "record in (1, 2)",
        "record not in (null)",
        "record between 1 and 2",
        "x between record and 2",
        "x between 1 and record",
        "1 between 0 and record",
        "record like 'a'",
        "record = 'a'",
        "starts_with(record, 'a')",
        "isnan(record)",
        "isfinite(record)",
        "-record",
        "record & 1",
        "1 & record",
        "record is true",
        "(record) is not false",
        "x < 1 or record",
        "record and x < 1",
        "record + 1 > 2",
        "x * record > 2",
        "length(record) > 2",
        "abs(record) > 2",
    };
    static const winnow_field fields[] = {
        {.name = "record", .type = WINNOW_OPAQUE},
        {.name = "x", .type = WINNOW_INT16}};
    static const int16_t x[] = {7, 8, 10, 8};
    static const uint8_t valid = 0x5;
    const winnow_in in[] = {{.type = WINNOW_OPAQUE, .d_valid = &valid},
                            {.type = WINNOW_INT16, .d_base = x}};
    _Alignas(16) unsigned char selection[1024];
    winnow_context *context;

    cr_assert_eq(winnow_context_create(&context, WINNOW_DEVICE_HOST),
                 WINNOW_OK);
    for (size_t i = 0; i <= sizeof(cases) / sizeof(cases[0]); i++) {
        uint32_t keep;
        winnow_condition *condition;

        if (i == 0)
            cr_assert_eq(winnow_condition_is_null(&condition, 0), WINNOW_OK);
        else
            condition = must_parse(fields, 2, cases[i - 1].text);
        cr_assert_eq(winnow_select_where(context, condition, in, 2, 4,
                                         selection, sizeof(selection), NULL),
                     WINNOW_OK, "%s", winnow_last_error());
        memcpy(&keep, selection, sizeof(keep));
        cr_assert_eq(keep, i == 0 ? 0xa : cases[i - 1].keep, "%s: %x",
                     i == 0 ? "is null" : cases[i - 1].text, keep);
        winnow_condition_destroy(condition);
    }
    for (size_t i = 0; i < sizeof(asking) / sizeof(asking[0]); i++) {
        winnow_condition *condition = NULL;

        cr_assert_eq(winnow_condition_parse(&condition, fields, 2, asking[i]),
                     WINNOW_ERR_UNSUPPORTED, "%s", asking[i]);
        cr_assert_not_null(strstr(winnow_last_error(),
                                  "column 'record' is opaque: "
                                  "only 'is null' can test it"),
                           "%s: %s", asking[i], winnow_last_error());
        cr_assert_null(condition);
    }
    winnow_context_destroy(context);
}
