/*
 * Tests of strings, by winnow_select_where(): of strings of 8 to 1000 bytes in
 * the mean, with offsets and as views, of which 1000 are different, of indices
 * into a dictionary of 1000 strings of 8, and of nine words of 0 to 21 bytes. CUB
 * has no such calls.
 *
 * The bytes that have to be moved: the offsets or views and the bytes of all strings,
 * or the indices into the dictionary; and the selection. A test for equality that
 * reads no string of another length reads less than that.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "selections.h"
#include "string_data.h"
#include "table.h"

#include "../util.h"

#include <stdio.h>
#include <string.h>

/* What the strings are made of. */
#define LETTERS 8
#define ENTRIES 1000
/* Of a set: each eleventh entry. */
#define VALUES 64
#define STEP 11

/* A column as the host has it. */
typedef struct source {
    selections_strings entries, strings;
    const int32_t *indices; /* of entries; NULL: the strings are there */
} source;

static uint64_t draw(uint64_t i) {
    return lab_random(48, i) % ENTRIES;
}

static const char *text_of(const selections_table *t, uint64_t i,
                           uint64_t *bytes_p) {
    const source *const from = t->column[0].in;
    return from->indices == NULL
               ? selections_strings_at(&from->strings, i, bytes_p)
               : selections_strings_at(&from->entries,
                                       (uint64_t)from->indices[i], bytes_p);
}

/* --------------------------------------------------------------------- tests */

static winnow_buffer value(const selections_strings *entries, uint64_t k) {
    uint64_t bytes;
    const char *const text = selections_strings_at(entries, k * STEP, &bytes);
    return (winnow_buffer){text, bytes};
}

static bool is_value(const selections_table *t, uint64_t i, uint64_t k) {
    const source *const from = t->column[0].in;
    const winnow_buffer wanted = value(&from->entries, k);
    uint64_t bytes;
    const char *const text = text_of(t, i, &bytes);
    return bytes == wanted.bytes && memcmp(text, wanted.d_bytes, bytes) == 0;
}

static bool is_first(const selections_table *t, uint64_t i) {
    return is_value(t, i, 0);
}

static bool is_any(const selections_table *t, uint64_t i) {
    for (uint64_t k = 0; k < VALUES; k++)
        if (is_value(t, i, k))
            return true;
    return false;
}

static bool starts(const selections_table *t, uint64_t i) {
    uint64_t bytes;
    const char *const text = text_of(t, i, &bytes);
    return bytes >= 2 && memcmp(text, "ba", 2) == 0;
}

/* From which byte on the text has these; past the end: it has them nowhere. */
static uint64_t find_bytes(const char *text, uint64_t bytes, uint64_t from,
                           const char *wanted, size_t length) {
    for (; from + length <= bytes; from++)
        if (memcmp(text + from, wanted, length) == 0)
            return from;
    return bytes;
}

static uint64_t find(const char *text, uint64_t bytes, uint64_t from,
                     const char *wanted) {
    return find_bytes(text, bytes, from, wanted, strlen(wanted));
}

static bool has(const selections_table *t, uint64_t i) {
    uint64_t bytes;
    const char *const text = text_of(t, i, &bytes);
    return find(text, bytes, 0, "bad") < bytes;
}

/* None: it has a letter that no string has. */
static bool has_none(const selections_table *t, uint64_t i) {
    uint64_t bytes;
    const char *const text = text_of(t, i, &bytes);
    return find(text, bytes, 0, "zzz") < bytes;
}

/* 20 bytes of the first entry that is longer; none where all are shorter. */
static winnow_buffer long_part(const selections_strings *entries) {
    for (uint64_t k = 0; k < entries->n; k++) {
        uint64_t bytes;
        const char *const text = selections_strings_at(entries, k, &bytes);
        if (bytes > 20)
            return (winnow_buffer){text + 1, 20};
    }
    return (winnow_buffer){NULL, 0};
}

static bool has_long(const selections_table *t, uint64_t i) {
    const source *const from = t->column[0].in;
    const winnow_buffer wanted = long_part(&from->entries);
    uint64_t bytes;
    const char *const text = text_of(t, i, &bytes);
    return find_bytes(text, bytes, 0, wanted.d_bytes, wanted.bytes) < bytes;
}

/* As the pattern %ab%c_ */
static bool is_like(const selections_table *t, uint64_t i) {
    uint64_t bytes;
    const char *const text = text_of(t, i, &bytes);
    return bytes >= 4 && text[bytes - 2] == 'c' &&
           find(text, bytes - 2, 0, "ab") < bytes - 2;
}

/* A condition, which the caller owns, of column 0. */
static winnow_condition *equals(const selections_strings *entries) {
    winnow_condition *condition;
    const winnow_buffer text = value(entries, 0);
    bench_check(winnow_condition_text(&condition, 0, WINNOW_TEXT_EQ,
                                      text.d_bytes, text.bytes),
                "winnow_condition_text");
    return condition;
}

static winnow_condition *is_in(const selections_strings *entries) {
    winnow_condition *condition;
    winnow_buffer texts[VALUES];
    for (uint64_t k = 0; k < VALUES; k++)
        texts[k] = value(entries, k);
    bench_check(winnow_condition_text_in(&condition, 0, texts, VALUES),
                "winnow_condition_text_in");
    return condition;
}

static winnow_condition *contains_long(const selections_strings *entries) {
    winnow_condition *condition;
    const winnow_buffer text = long_part(entries);
    bench_check(winnow_condition_text(&condition, 0, WINNOW_TEXT_CONTAINS,
                                      text.d_bytes, text.bytes),
                "winnow_condition_text");
    return condition;
}

static winnow_condition *parsed(const selections_table *t, const char *text) {
    const winnow_field field = {.name = "s",
                                .type = t->column[0].type == WINNOW_VIEW
                                            ? WINNOW_VIEW
                                            : WINNOW_STRING32};
    winnow_condition *condition;
    bench_check(winnow_condition_parse(&condition, &field, 1, text),
                "winnow_condition_parse");
    return condition;
}

typedef struct test {
    const char *name; /* the condition's text, if there is no `make` */
    winnow_condition *(*make)(const selections_strings *entries);
    selections_keep *keep;
} test;

static const test tests[] = {
    {"s = a text", equals, is_first},
    {"s in (64 texts)", is_in, is_any},
    {"starts_with(s, 'ba')", NULL, starts},
    {"contains(s, 'bad')", NULL, has},
    {"contains(s, 'zzz')", NULL, has_none},
    {"s like '%ab%c_'", NULL, is_like},
    {"contains(s, 20 bytes)", contains_long, has_long},
};

static void measure_tests(selections_table *t, const char *column,
                          uint64_t bytes) {
    const source *const from = t->column[0].in;
    for (unsigned i = 0; i < sizeof tests / sizeof tests[0]; i++) {
        char name[64];
        if (tests[i].make == contains_long &&
            long_part(&from->entries).bytes == 0)
            continue;
        winnow_condition *const condition = tests[i].make != NULL
                                                ? tests[i].make(&from->entries)
                                                : parsed(t, tests[i].name);
        snprintf(name, sizeof name, "%s, %s", column, tests[i].name);
        selections_table_set(t, name, condition, tests[i].keep);
        selections_table_select(t, bytes);
    }
}

/* ------------------------------------------------------------------- columns */

static void measure_strings(bench_lab *lab, uint64_t bytes, unsigned mean,
                            winnow_type type) {
    source from = {.indices = NULL};
    selections_table t;
    char name[32];
    const uint64_t n = bytes / mean > 0 ? bytes / mean : 1;
    selections_strings_init(&from.entries, lab, ENTRIES, mean, mean / 2,
                            LETTERS);
    selections_strings_repeat(&from.strings, lab, n, &from.entries, draw);
    selections_table_init(&t, lab, n);
    const winnow_in in = selections_strings_send(&from.strings, lab, type);
    selections_table_add_tested(&t, "s", &in);
    t.column[0].in = &from;
    snprintf(name, sizeof name, "%u bytes%s", mean,
             type == WINNOW_VIEW ? ", views" : "");
    measure_tests(&t, name,
                  (n + 1) * selections_offset_bytes(type) + from.strings.bytes);
    winnow_condition_destroy(t.condition);
    lab_free(lab);
}

/* ---------------------------------------------------------------------- words */

static bool is_word(const selections_table *t, uint64_t i, const char *word) {
    uint64_t bytes;
    const char *const text = text_of(t, i, &bytes);
    return bytes == strlen(word) && memcmp(text, word, bytes) == 0;
}

static bool is_mail(const selections_table *t, uint64_t i) {
    return is_word(t, i, "MAIL");
}

static bool is_mail_or_ship(const selections_table *t, uint64_t i) {
    return is_mail(t, i) || is_word(t, i, "SHIP");
}

static bool has_re(const selections_table *t, uint64_t i) {
    uint64_t bytes;
    const char *const text = text_of(t, i, &bytes);
    return find(text, bytes, 0, "re") < bytes;
}

static uint64_t draw_word(uint64_t i) {
    return lab_random(49, i) % 9;
}

/* An eighth as many as there are bytes. */
static void measure_words(bench_lab *lab, uint64_t bytes) {
    static const test of_words[] = {
        {"s = 'MAIL'", NULL, is_mail},
        {"s in ('MAIL', 'SHIP')", NULL, is_mail_or_ship},
        {"s like '%re%'", NULL, has_re},
        {"s like '%zzz%'", NULL, has_none}};
    static char letters[] = "alphabetaMAILSHIPspecial requestsx"
                            "forest green metalliclavender";
    static uint64_t ends[] = {0, 0, 5, 9, 13, 17, 33, 34, 55, 63};
    source from = {.entries = {9, 63, ends, letters}};
    selections_table t;
    const uint64_t n = bytes / 8 > 0 ? bytes / 8 : 1;
    selections_strings_repeat(&from.strings, lab, n, &from.entries, draw_word);
    selections_table_init(&t, lab, n);
    const winnow_in in =
        selections_strings_send(&from.strings, lab, WINNOW_STRING32);
    selections_table_add_tested(&t, "s", &in);
    t.column[0].in = &from;
    for (unsigned i = 0; i < sizeof of_words / sizeof of_words[0]; i++) {
        char name[64];
        snprintf(name, sizeof name, "words, %s", of_words[i].name);
        selections_table_set(&t, name, parsed(&t, of_words[i].name),
                             of_words[i].keep);
        selections_table_select(&t,
                                (n + 1) * sizeof(int32_t) + from.strings.bytes);
    }
    winnow_condition_destroy(t.condition);
    lab_free(lab);
}

/* Indices of as many bytes. */
static void measure_dictionary(bench_lab *lab, uint64_t bytes) {
    source from;
    selections_table t;
    const uint64_t n =
        bytes / sizeof(int32_t) > 0 ? bytes / sizeof(int32_t) : 1;
    int32_t *const indices = lab_host(lab, n * sizeof *indices);
    selections_strings_init(&from.entries, lab, ENTRIES, 8, 4, LETTERS);
    from.indices = indices;
#pragma omp parallel for
    for (uint64_t i = 0; i < n; i++)
        indices[i] = (int32_t)draw(i);
    selections_table_init(&t, lab, n);
    const winnow_in values =
        selections_strings_send(&from.entries, lab, WINNOW_STRING32);
    const winnow_in in = {.type = WINNOW_INT32,
                          .d_base = lab_send(lab, indices, n * sizeof *indices),
                          .dictionary = &values,
                          .dictionary_n = ENTRIES};
    selections_table_add_tested(&t, "s", &in);
    t.column[0].in = &from;
    measure_tests(&t, "dictionary", n * sizeof *indices);
    winnow_condition_destroy(t.condition);
    lab_free(lab);
}

void selections_string_tests(bench_lab *lab) {
    static const uint64_t usual[] = {UINT64_C(1) << 29};
    static const unsigned means[] = {8, 32, 128, 1000};
    const uint64_t *sizes;
    const unsigned count = LAB_SIZES(lab, usual, &sizes);
    for (unsigned i = 0; i < count; i++) {
        for (unsigned m = 0; m < sizeof means / sizeof means[0]; m++) {
            measure_strings(lab, sizes[i], means[m], WINNOW_STRING32);
            measure_strings(lab, sizes[i], means[m], WINNOW_VIEW);
        }
        measure_words(lab, sizes[i]);
        measure_dictionary(lab, sizes[i]);
    }
}
