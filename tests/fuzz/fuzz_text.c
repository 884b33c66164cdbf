/*
 * Random and mutated texts for winnow_condition_parse(): whatever they are, it
 * makes a condition or says what is wrong, twice the same.
 *
 * usage: fuzz_text [TEXTS [SEED]]
 *
 * A text on which it ends unexpectedly is found again by its seed, which is
 * printed for every 100000 texts.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <winnow.h>

#include "data.h"
#include "fuzz/fields.h"

enum {
    MOST = 4000 /* bytes of a text */
};

/* Words, of which texts are made that are often almost right. */
static const char *const words[] = {"price",
                                    "flags",
                                    "id",
                                    "x",
                                    "half_1",
                                    "\"and\"",
                                    "\"a \"\"b\"\"\"",
                                    "y",
                                    "day",
                                    "at",
                                    "took",
                                    "cost",
                                    "wide",
                                    "sum",
                                    "s",
                                    "t",
                                    "kind",
                                    "s < t",
                                    "kind <> s",
                                    "not between t and kind",
                                    "abs(-took)",
                                    "at - at",
                                    "ok",
                                    "'it''s'",
                                    "''",
                                    "like",
                                    "not like 'a!%_%' escape '!'",
                                    "starts_with(s, 'it')",
                                    "ends_with(",
                                    "contains(t, ",
                                    "is null",
                                    "is not unknown",
                                    "is true",
                                    "date '2024-02-29'",
                                    "timestamp",
                                    "'2024-01-31 10:00:00.5Z'",
                                    "duration '1.5 min'",
                                    "170141183460469231731687303715884105727",
                                    "\"",
                                    "and",
                                    "OR",
                                    "Not",
                                    "in",
                                    "in (",
                                    "between",
                                    "between 1 and 5",
                                    "true",
                                    "FALSE",
                                    "isnan",
                                    "isnan(price)",
                                    "isfinite",
                                    "(",
                                    ")",
                                    "<",
                                    "<=",
                                    "==",
                                    "=",
                                    "<>",
                                    "!=",
                                    ">",
                                    ">=",
                                    "&&",
                                    "||",
                                    "&",
                                    "!",
                                    "-",
                                    ",",
                                    "+",
                                    "0",
                                    "1",
                                    "7",
                                    "3.5",
                                    "1e9",
                                    "0x1f",
                                    "017",
                                    "65535",
                                    "99999999999999999999",
                                    "1e-4000",
                                    "1e400",
                                    "08",
                                    "2.2.2",
                                    "'",
                                    "<<",
                                    "*",
                                    "/",
                                    "//",
                                    "%",
                                    "::",
                                    "::int8",
                                    ":: float32",
                                    "cast(x as int16)",
                                    "cast(",
                                    "as double)",
                                    "as",
                                    "abs(",
                                    "min(x, id)",
                                    "max(",
                                    "floor(price)",
                                    "sqrt(",
                                    "round(",
                                    "year(day)",
                                    "month(at)",
                                    "hour(",
                                    "length(",
                                    "- 1 +",
                                    "-- and\n",
                                    "--",
                                    "/* or */",
                                    "/*",
                                    "(1)",
                                    "('it')",
                                    "null",
                                    "isnull",
                                    "x notnull",
                                    "X'6974'",
                                    "x'",
                                    "+ -7",
                                    "in (1 + 1, 2 * (3 - 4))",
                                    "'2024-02-29'::date",
                                    "cast('2024-02-29' as timestamp)",
                                    "::double precision",
                                    "as varchar(2))",
                                    "::tinyint",
                                    "0.0 / 0",
                                    "\n"};

static const char *const right[] = {
    ("day < date '2024-02-29' and at >= '2024-01-31T10:00:00.5+01:00' or took "
     "< "
     "duration '-1 d 3.5 h'"),
    "wide in (1, -1, 18446744073709551616, 7) and cost between 1.25 and 1e3",
    "price < 24 && (flags & 7) == 3 || id in (4, 8)",
    "10 <= x <= 20 && !(5 > price > -1.5e3) || x",
    "!isnan(price) && isfinite(half_1) && (flags & 0x80)",
    "((((x == 1 || x == 2) && id != -9223372036854775808))) || !!!flags",
    "id in (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17) && x",
    "(3 & flags) in (0, 1, 3) || price != 1e38 && half_1 <= 65504",
    "not x = 3 and id not in (1, 5, 9,) or price not between -1 and 1.5",
    "\"and\" between 1 and 300 AND (true or \"a \"\"b\"\"\" <> 2.5) and 1 = 1",
    "price * (1 - half_1) > 100 and x // 3 + id % 7 <= -flags or 0 < x < id",
    "year(day) = 2024 and year(at) in (1999, 2001) or month(day) - x::int8 > 2",
    ("day - date '2024-01-31' < duration '90 d' and at + took > at or -took >= "
     "duration '1 s'"),
    ("abs(x - id) <= max(flags, 3) and (x + 1) & 6 or cast(price as int32) is "
     "null"),
    ("s = 'a' or t like '%b_c%' escape '\\' and kind in ('x', 'it''s', null) "
     "or starts_with(s, '') and not contains(t, 'b') and length(s) > 3"),
    ("(s < 'lmn' or ends_with(kind, 'ft')) is not true and t is not null and "
     "(ok or x = null) is unknown"),
    "'a' <= t < 'b' and s between 'a' and 'z' or sum >= -1.2345 and not ok",
    "cost * 1.5 between sqrt(id) and floor(price) / 2 or isnan(price * 0)",
    ("+x in (1 + 2, -(3 - 5), 7 // 2) or s in (X'6974', 'a') and day isnull or "
     "cast('2024-02-29' as date) = day and +price <= + -1e3"),
    "NOT NOT (x & -2) <= 7 or false and flags < 256 or id in ()"};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static uint64_t state;

static size_t draw(size_t below) {
    state += 0x9e3779b97f4a7c15;
    return (size_t)(data_random(state, 1) % below);
}

struct text {
    size_t length;
    char bytes[MOST + 1];
};

static void insert(struct text *text, size_t at, const char *from,
                   size_t bytes) {
    char part[MOST];

    if (text->length + bytes > MOST)
        return;
    memcpy(part, from, bytes); /* it may be of the text itself */
    memmove(text->bytes + at + bytes, text->bytes + at, text->length - at);
    memcpy(text->bytes + at, part, bytes);
    text->length += bytes;
}

static void delete (struct text *text, size_t at, size_t bytes) {
    memmove(text->bytes + at, text->bytes + at + bytes,
            text->length - at - bytes);
    text->length -= bytes;
}

static void insert_word(struct text *text, size_t at) {
    const char *const word = words[draw(COUNT(words))];

    insert(text, at, word, strlen(word));
    if (draw(2))
        insert(text, at, " ", 1);
}

static void mutate(struct text *text) {
    const size_t at = draw(text->length + 1), left = text->length - at;
    const size_t span = left == 0 ? 0 : draw(left < 30 ? left : 30) + 1;
    const char byte = (char)(1 + draw(255));

    switch (draw(5)) {
    case 0:
        delete (text, at, span);
        break;
    case 1:
        insert(text, draw(text->length + 1), text->bytes + at, span);
        break;
    case 2:
        insert(text, at, &byte, 1);
        break;
    case 3:
        if (left != 0)
            text->bytes[at] = byte;
        break;
    default:
        insert_word(text, at);
        break;
    }
}

/* Deep nests of one word, or of two by turns. */
static void nest(struct text *text) {
    static const char *const openings[] = {
        "(", "!", "!(", "-", "x&&(", "isnan(", "not ", "not(x<1 or "};
    const char *const opening = openings[draw(COUNT(openings))];
    const size_t depth = draw(1500);

    for (size_t i = 0; i < depth; i++)
        insert(text, text->length, opening, strlen(opening));
    insert(text, text->length, "x", 1);
    for (size_t i = 0; i < depth && strchr(opening, '(') != NULL; i++)
        insert(text, text->length, ")", 1);
}

static void make(struct text *text) {
    const char *from;

    text->length = 0;
    switch (draw(40) == 0 ? 3 : draw(3)) {
    case 0:
        for (size_t i = draw(60); i > 0; i--)
            text->bytes[text->length++] = (char)(1 + draw(draw(2) ? 255 : 126));
        break;
    case 1:
        for (size_t i = draw(60); i > 0; i--)
            insert_word(text, text->length);
        break;
    case 2:
        from = right[draw(COUNT(right))];
        insert(text, 0, from, strlen(from));
        for (size_t i = draw(6); i > 0; i--)
            mutate(text);
        break;
    default:
        nest(text);
        break;
    }
    text->bytes[text->length] = '\0';
}

/* Is it a failure that says where? */
static bool is_placed(winnow_status status) {
    unsigned line, column;

    return (status == WINNOW_ERR_SYNTAX || status == WINNOW_ERR_UNSUPPORTED) &&
           sscanf(winnow_last_error(), "line %u, column %u: ", &line,
                  &column) == 2 &&
           line > 0 && column > 0;
}

static bool run(winnow_context *context, const struct text *text,
                uint64_t *right_p) {
    winnow_condition *first = NULL, *second = NULL;
    char detail[1024];
    const winnow_status status =
        winnow_condition_parse(&first, fuzz_fields, FUZZ_FIELDS, text->bytes);
    bool ok = status == WINNOW_OK ? first != NULL && fuzz_use(context, first)
                                  : first == NULL && is_placed(status);

    snprintf(detail, sizeof(detail), "%s", winnow_last_error());
    ok = ok && winnow_condition_parse(&second, fuzz_fields, FUZZ_FIELDS,
                                      text->bytes) == status;
    ok =
        ok && (status == WINNOW_OK || strcmp(detail, winnow_last_error()) == 0);
    winnow_condition_destroy(first);
    winnow_condition_destroy(second);
    *right_p += status == WINNOW_OK;
    if (!ok)
        printf("fuzz_text: %s: %s\non the text:\n%s\n",
               winnow_status_name(status), winnow_last_error(), text->bytes);
    return ok;
}

int main(int argc, char **argv) {
    const uint64_t texts = argc > 1 ? strtoull(argv[1], NULL, 10) : 20000;
    const uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    static struct text text;
    winnow_context *context;
    uint64_t count = 0;
    bool ok = true;

    if (winnow_context_create(&context, WINNOW_DEVICE_HOST) != WINNOW_OK)
        return 1;
    for (uint64_t i = 0; i < texts && ok; i++) {
        state = data_random(seed, i);
        make(&text);
        ok = run(context, &text, &count);
        if (!ok || (i + 1) % 100000 == 0)
            printf("fuzz_text: seed %" PRIu64 ", text %" PRIu64 ", %" PRIu64
                   " were right\n",
                   seed, i, count);
    }
    winnow_context_destroy(context);
    /* Both kinds have to be among them. */
    ok = ok && (texts < 1000 || (count > texts / 50 && count < texts / 2));
    printf("fuzz_text: %" PRIu64 " texts, %" PRIu64 " of them right: %s\n",
           texts, count, ok ? "passed" : "failed");
    return ok ? 0 : 1;
}
