/*
 * winnow_condition_parse: comments stand wherever spaces may, and mean as much.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include <stdio.h>
#include <string.h>

#include "conditions.h"
#include "suite.h"

enum {
    ITEMS = 6
};

static const winnow_field fields[] = {
    {.name = "x", .type = WINNOW_INT32},
    {.name = "a -- b", .type = WINNOW_INT32},
    {.name = "s", .type = WINNOW_STRING32},
    {.name = "d", .type = WINNOW_INT32, .format = "tdD"}};
enum {
    FIELDS = sizeof(fields) / sizeof(fields[0])
};

static const int32_t x[] = {-7, 0, 1, 2, 6, 300};
static const int32_t d[] = {0, 19722, 19723, 19724, 1, 30000};
static const int32_t offsets[] = {0, 1, 7, 15, 15, 18, 20};
static const uint8_t valid = 0x37;
static const winnow_in in[] = {
    {.type = WINNOW_INT32, .d_base = x, .d_valid = &valid},
    {.type = WINNOW_INT32, .d_base = x},
    {.type = WINNOW_STRING32,
     .d_base = offsets,
     .d_data = "aa -- b/* c */a''\"--",
     .data_size = 20},
    {.type = WINNOW_INT32, .d_base = d}};

static uint32_t kept_by(winnow_context *context, const char *text) {
    static _Alignas(16) unsigned char selection[1024];
    winnow_condition *condition;
    uint32_t keep;

    cr_assert_eq(winnow_condition_parse(&condition, fields, FIELDS, text),
                 WINNOW_OK, "%s: %s", text, winnow_last_error());
    cr_assert_eq(winnow_select_where(context, condition, in, FIELDS, ITEMS,
                                     selection, sizeof(selection), NULL),
                 WINNOW_OK, "%s: %s", text, winnow_last_error());
    memcpy(&keep, selection, sizeof(keep));
    winnow_condition_destroy(condition);
    return keep;
}

/* A comment stands for each @. */
static const struct {
    const char *text;
    uint32_t keep;
} cases[] = {{"@x@>@1@", 0x30},
             {"x@is@null", 0x08},
             {"x@is@not@null@and@not@x@=@0", 0x35},
             {"(@x@<@1@)@is@not@true", 0x3c},
             {"@x@ - @ - @5@=@6@", 0x04},
             {"x@//@2@=@3@or@x@/ @2@=@-3.5@", 0x11},
             {"x@*@2@%@4@<>@0", 0x05},
             {"cast@(@x@as@int8@)@is@null", 0x28},
             {"x@::@int64@in@(@1@,@6@,@)@", 0x14},
             {"abs@(@x@)@between@1@and@7", 0x15},
             {"max@(@x@,@\"a -- b\"@)@>=@2@", 0x30},
             {"\"a -- b\"@&&@!@(@x@<@2@)", 0x30},
             {"s@=@'a -- b/'@or@s@=@'a -- b'@", 0x02},
             {"s@like@'a%'@escape@'!'@", 0x03},
             {"starts_with@(@s@,@'a --'@)@||@ends_with@(@s@,@'*/a'@)", 0x06},
             {"s@=@'\"--'@or@contains@(@s@,@'* c *'@)@", 0x04},
             {"d@<@date@'2024-01-01'@and@year@(@d@)@=@2023", 0x02},
             {"d@ - @date@'2024-01-01'@=@duration@'1 d'", 0x08}};

static const char *const comments[] = {
    " ",         "/**/",   "/* or x */", "/* ' */",    "/*\"*/",
    "/* -- */",  "/***/",  "/*/ */",     "/*\n\n*/",   "--\n",
    "-- ' \"\n", "--\r\n", "-- /*\n",    "--\tor x\r", " /* */ --\n/* * / **/"};
enum {
    COMMENTS = sizeof(comments) / sizeof(comments[0])
};

static void write_text(char *to, const char *text, unsigned comment,
                       uint64_t *seed) {
    for (; *text != '\0'; text++)
        if (*text == '@')
            to += sprintf(to, "%s",
                          comments[comment < COMMENTS
                                       ? comment
                                       : (unsigned)draw_next(seed, COMMENTS)]);
        else
            *to++ = *text;
    *to = '\0';
}

Test(parse_comments, words) {
    winnow_context *context;
    uint64_t seed = 11;
    char text[800];

    cr_assert_eq(winnow_context_create(&context, WINNOW_DEVICE_HOST),
                 WINNOW_OK);
    for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        for (unsigned j = 0; j < COMMENTS + 30; j++) {
            write_text(text, cases[i].text, j, &seed);
            cr_assert_eq(kept_by(context, text), cases[i].keep, "%s: %x", text,
                         kept_by(context, text));
        }
    cr_assert_eq(kept_by(context, "x > 1 -- 1"), 0x30);
    cr_assert_eq(kept_by(context, "x > 1 --"), 0x30);
    cr_assert_eq(kept_by(context, "x > 1 -- or true\nand x < 7"), 0x10);
    cr_assert_eq(kept_by(context, "x > 1 /* or true */ and x < 7"), 0x10);
    winnow_context_destroy(context);
}

Test(parse_comments, mistakes) {
#define PASTED                                                                 \
    "found '--' without a space behind it: write - -5, or -- and a space "     \
    "before a comment"
    static const struct {
        const char *text, *detail;
    } mistakes[] = {
        {"x --5 = 6", "line 1, column 3: " PASTED},
        {"x > --1", "line 1, column 5: " PASTED},
        {"x > 1\n  --x", "line 2, column 3: " PASTED},
        {"x > 1 --- a comment", "line 1, column 7: " PASTED},
        {"x > 1 --/* a */", "line 1, column 7: " PASTED},
        {"x > 1 --\v", "line 1, column 7: " PASTED},
        {"x > 1 /*",
         "line 1, column 7: found '/*', a comment that no '*/' ends"},
        {"x > 1\n/*/ and x", "line 2, column 1: found '/*', a comment that no "
                             "'*/' ends"},
        {"x > 1 /* /* */ */",
         "line 1, column 17: found '/', expected one of: a column"},
        {"x = 'a -- b", "line 1, column 5: found 'a -- b, a text that no"},
        {"-- x > 1", "line 1, column 9: found the end, expected one of"},
        {"/* 1 */ x /* 2\n */ in y", "line 2, column 8: found 'y', which is"}};

    for (unsigned i = 0; i < sizeof(mistakes) / sizeof(mistakes[0]); i++) {
        winnow_condition *condition = NULL;
        cr_assert_eq(winnow_condition_parse(&condition, fields, FIELDS,
                                            mistakes[i].text),
                     WINNOW_ERR_SYNTAX, "%s", mistakes[i].text);
        cr_assert_eq(strncmp(winnow_last_error(), mistakes[i].detail,
                             strlen(mistakes[i].detail)),
                     0, "%s: %s", mistakes[i].text, winnow_last_error());
        cr_assert_null(condition);
    }
}
