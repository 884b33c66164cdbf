/*
 * winnow_condition_parse: each word in parentheses, wherever it may stand, means
 * what it does without them.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include <stdio.h>
#include <string.h>

#include "suite.h"

enum {
    ITEMS = 6,
    MOST_WORDS = 4
};

static const winnow_field fields[] = {
    {.name = "s", .type = WINNOW_STRING32},
    {.name = "l", .type = WINNOW_STRING64},
    {.name = "v", .type = WINNOW_VIEW},
    {.name = "k k", .type = WINNOW_STRING32}, /* a dictionary */
    {.name = "i", .type = WINNOW_INT32},
    {.name = "u", .type = WINNOW_UINT64},
    {.name = "f", .type = WINNOW_FLOAT32},
    {.name = "p", .type = WINNOW_INT32, .format = "d:9,2,32"},
    {.name = "w", .type = WINNOW_INT128},
    {.name = "d", .type = WINNOW_INT32, .format = "tdD"},
    {.name = "t", .type = WINNOW_INT64, .format = "tss:UTC"},
    {.name = "o", .type = WINNOW_INT32, .format = "tts"},
    {.name = "r", .type = WINNOW_INT64, .format = "tDs"},
    {.name = "b", .type = WINNOW_BIT}};
enum {
    FIELDS = sizeof(fields) / sizeof(fields[0])
};

/* Strings val, 'al', al, it's, none, va; numbers and moments around what they
 * are compared with. The last but one of each is null. */
static const char bytes[] = "val'al'alit'sva";
static const int32_t offsets[] = {0, 3, 7, 9, 13, 13, 15};
static const int64_t long_offsets[] = {0, 3, 7, 9, 13, 13, 15};
static uint32_t views[ITEMS][4];
static const int32_t indices[] = {5, 4, 3, 2, 1, 0};
static const int32_t i[] = {-7, 0, 1, 2, 3, 300};
static const uint64_t u[] = {0, 1, 2, 3, 300, UINT64_MAX};
static const float f[] = {-7, -0.0f, 0.5f, 1, 2, 1e30f};
static const int32_t p[] = {-700, 0, 50, 100, 200, 30000};
static const int64_t w[] = {-7, -1, 0, 0, 1, 0, 2, 0, 3, 0, 0, 1};
static const int32_t d[] = {0, 19722, 19723, 19724, 1, 30000};
static const int64_t t[] = {0, 1704067199, 1704067200, 1704067201, 1, 3};
static const int32_t o[] = {0, 35999, 36000, 36001, 1, 86399};
static const int64_t r[] = {-90, 0, 59, 60, 61, 90};
static const uint8_t b = 0x2d, valid = 0x2f;

static winnow_in in[FIELDS], dictionary;

static void open_columns(void) {
    static const void *const base[FIELDS] = {
        offsets, long_offsets, views, indices, i, u, f, p, w, d, t, o, r, &b};

    for (unsigned j = 0; j < ITEMS; j++) { /* all are short */
        views[j][0] = (uint32_t)(offsets[j + 1] - offsets[j]);
        memcpy(&views[j][1], bytes + offsets[j], views[j][0]);
    }
    for (unsigned c = 0; c < FIELDS; c++) {
        in[c] = (winnow_in){
            .type = fields[c].type, .d_base = base[c], .d_valid = &valid};
        if (c < 2) {
            in[c].d_data = bytes;
            in[c].data_size = sizeof(bytes) - 1;
        }
    }
    dictionary = in[0];
    dictionary.d_valid = NULL;
    in[3].type = WINNOW_INT32;
    in[3].dictionary = &dictionary;
    in[3].dictionary_n = ITEMS;
}

/* Words that stand for $c, $1, $2 and $3. */
struct words {
    char kind; /* s: strings, n: numbers, m: moments, b: bits */
    const char *word[4];
};
static const struct words all[] = {
    {'s', {"s", "'al'", "'val'", "'%l'"}},
    {'s', {"\"s\"", "''", "'it''s'", "'it''_'"}},
    {'s', {"s", "X'616c'", "x''", "X'256c'"}},
    {'s', {"l", "'val'", "s", "'_al'"}},
    {'s', {"v", "'''al'''", "\"k k\"", "'%a!%'"}},
    {'s', {"\"k k\"", "'val'", "null", "'v%'"}},
    {'n', {"i", "1", "2", "3"}},
    {'n', {"\"i\"", "-7", "null", "0x1"}},
    {'n', {"i", "1.5", "f", "017"}},
    {'n', {"u", "18446744073709551615", "300", "1"}},
    {'n', {"f", "0.5", "1e30", "-0.0"}},
    {'n', {"p", "0.50", "i", "3e2"}},
    {'w', {"w", "1", "18446744073709551616", "2"}},
    {'m', {"d", "'2024-01-01'", "date '2024-01-02'", "duration '1 d'"}},
    {'m', {"t", "'2024-01-01 00:00'", "date '2024-01-01'", "duration '1 s'"}},
    {'m', {"t", "timestamp '2024-01-01 00:00:01'", "null", "r"}},
    {'t', {"o", "'10:00'", "time '10:00:01'", "o"}},
    {'t', {"r", "'1 min'", "duration '61 s'", "r"}},
    {'b', {"b", "true", "false", "b"}}};

/* Places of words, and the kinds that may stand there. */
static const struct {
    const char *kinds, *text;
} places[] = {{"snwmtb", "$c = $1"},
              {"snwmtb", "$1 <> $c"},
              {"snwmt", "$c < $1"},
              {"snwmt", "$2 <= $c"},
              {"snwmt", "$c >= $2"},
              {"snwmt", "not $1 > $c"},
              {"snmt", "$1 <= $c < $2"},
              {"snwmt", "$c between $1 and $2"},
              {"snmt", "$c not between $2 and $1"},
              {"snmtb", "$c is null or $c = $c"},
              {"w", "$c is null"},
              {"snwmtb", "$c isnull or not $c notnull"},
              {"s", "$c::text = $1::varchar"},
              {"n", "+$c < +$1 or $c in ($1 + 1, - $1)"},
              {"snwmtb", "($c = $1) is not true"},
              {"s", "$c like $3"},
              {"s", "$c not like $3 escape '!' and $c <> $1"},
              {"s", "$c like '%!%' escape ('!') or $c like $3"},
              {"s", "starts_with($c, $1)"},
              {"s", "ends_with($c, $1)"},
              {"s", "contains($c, $1)"},
              {"s", "length($c) = 3"},
              {"n", "$c + $1 < $2"},
              {"n", "$c * - $3 < $2 and -$c < $1"},
              {"n", "min($c, $1) = $1 or max($2, $c) = $c"},
              {"n", "abs($c) >= $1 or round($c) = $2"},
              {"n", "$c::int32 = $1::int32"},
              {"nmb", "cast($c as int64) > 0"},
              {"m", "$c + $3 > $1"},
              {"m", "$c - $2 < $3"},
              {"m", "year($c) = 2024 or day($c) = 1"},
              {"t", "$c - $2 < duration '1 s'"},
              {"b", "not $c and $1 or $2"},
              {"b", "!$c or $2"}};

/* The places with words; those of `wrapped` in parentheses, by the order in which
 * they stand; and how many there are. */
static unsigned write_text(char *to, const char *place,
                           const struct words *words, unsigned wrapped,
                           const char *open, const char *close) {
    unsigned number = 0;

    for (; *place != '\0'; place++) {
        if (*place != '$') {
            *to++ = *place;
            continue;
        }
        place++;
        const char *const word =
            words->word[*place == 'c' ? 0 : (unsigned)(*place - '0')];
        const bool wraps = (wrapped >> number++ & 1) != 0;
        to +=
            sprintf(to, "%s%s%s", wraps ? open : "", word, wraps ? close : "");
    }
    *to = '\0';
    return number;
}

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

static void check_place(winnow_context *context, const char *place,
                        const struct words *words) {
    char text[200], plain[200];
    const unsigned number = write_text(plain, place, words, 0, "", "");
    const uint32_t keep = kept_by(context, plain);

    for (unsigned wrapped = 1; wrapped < 1u << number; wrapped++) {
        write_text(text, place, words, wrapped, "(", ")");
        cr_assert_eq(kept_by(context, text), keep, "%s: not as %s", text,
                     plain);
    }
    write_text(text, place, words, UINT32_MAX, "(( (", "\n) ))");
    cr_assert_eq(kept_by(context, text), keep, "%s: not as %s", text, plain);
}

Test(parse_parentheses, words) {
    winnow_context *context;
    unsigned tried = 0;

    open_columns();
    cr_assert_eq(winnow_context_create(&context, WINNOW_DEVICE_HOST),
                 WINNOW_OK);
    for (unsigned j = 0; j < sizeof(places) / sizeof(places[0]); j++)
        for (unsigned k = 0; k < sizeof(all) / sizeof(all[0]); k++)
            if (strchr(places[j].kinds, all[k].kind) != NULL) {
                check_place(context, places[j].text, &all[k]);
                tried++;
            }
    cr_assert(tried > 200, "%u", tried);
    winnow_context_destroy(context);
}

/* Of literals in lists. */
Test(parse_parentheses, lists) {
    static const struct words lists[] = {
        {'s', {"s", "'al'", "'it''s'", "''"}},
        {'s', {"l", "'val'", "'''al'''", "null"}},
        {'s', {"v", "'val'", "'al'", "'va'"}},
        {'s', {"\"k k\"", "'val'", "'al'", "'va'"}},
        {'n', {"i", "1", "-7", "0x2"}},
        {'n', {"f", "0.5", "1e30", "null"}},
        {'n', {"1", "2", "1.0", "3"}},
        {'n', {"p", "0.50", "3e2", "-7"}},
        {'w', {"w", "-7", "18446744073709551616", "5"}},
        {'m', {"d", "'2024-01-01'", "date '2024-01-02'", "'1970-01-01'"}},
        {'m', {"d", "'2024-01-01'::date", "date '2024-01-02'", "null"}},
        {'t', {"o", "'10:00'", "time '10:00:01'", "'00:00'"}}};
    winnow_context *context;

    open_columns();
    cr_assert_eq(winnow_context_create(&context, WINNOW_DEVICE_HOST),
                 WINNOW_OK);
    for (unsigned k = 0; k < sizeof(lists) / sizeof(lists[0]); k++) {
        check_place(context, "$c in ($1)", &lists[k]);
        check_place(context, "$c not in ($2, $1, $3)", &lists[k]);
        check_place(context, "$c in ($2, $3,) or $c in ()", &lists[k]);
    }
    winnow_context_destroy(context);
}

/* What is in the parentheses, and not the parentheses, is the text. */
Test(parse_parentheses, values) {
    static const struct {
        const char *text;
        uint32_t keep;
    } cases[] = {{"s = ('val')", 0x01},
                 {"s <> ('''al''')", 0x2d},
                 {"(('va')) <= v", 0x21},
                 {"starts_with(l, ('v'))", 0x21},
                 {"starts_with(l, (''))", 0x2f},
                 {"\"k k\" in (('al'), 'va')", 0x09},
                 {"s like ('v%') escape (('!'))", 0x21},
                 {"d = (date '2024-01-01')", 0x04},
                 {"d in (('2024-01-01'))", 0x04}};
    winnow_context *context;

    open_columns();
    cr_assert_eq(winnow_context_create(&context, WINNOW_DEVICE_HOST),
                 WINNOW_OK);
    for (unsigned j = 0; j < sizeof(cases) / sizeof(cases[0]); j++)
        cr_assert_eq(kept_by(context, cases[j].text), cases[j].keep, "%s",
                     cases[j].text);
    winnow_context_destroy(context);
}
