/*
 * Lists of texts that were chosen to meet in the table of the list, whatever its
 * seed was.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "data.h"
#include "reduced.h"
#include "string/match.h"
#include "suite.h"

enum {
    LOG2_TEXTS = 17,
    FEWER = 12,
    BLOCK = 16, /* bytes */
    MOST_BYTES = BLOCK * LOG2_TEXTS
};

struct list {
    uint64_t number;
    size_t bytes; /* of a text */
    unsigned char *texts;
};

/* A word by word hash of a product with a known factor, and of its upper half,
 * carries the highest bit of a word to places that are known: the next word takes it
 * back. So each block has one of two contents, with the same hash. */
static void write_text(unsigned char *to, uint64_t i, unsigned blocks) {
    static const uint64_t words[2] = {UINT64_C(1) << 63,
                                      UINT64_C(1) << 63 ^ UINT64_C(1) << 31};

    memset(to, 0, BLOCK * (size_t)blocks);
    for (unsigned b = 0; b < blocks; b++)
        if ((i >> b & 1) != 0)
            memcpy(to + BLOCK * (size_t)b, words, BLOCK);
}

static winnow__bytes text_at(const void *argument, uint64_t i) {
    const struct list *const list = argument;

    return (winnow__bytes){(const char *)list->texts + i * list->bytes,
                           list->bytes};
}

/* Slots that are looked at to find text i. */
static uint64_t steps_of(const winnow__pattern *pattern,
                         const winnow__bytes text) {
    const unsigned char *const block = (const unsigned char *)pattern;
    const unsigned char *const bytes = (const unsigned char *)text.bytes;
    const uint64_t *const slots =
        (const uint64_t *)(const void *)(block + pattern->table);
    const winnow__pattern_text *const texts =
        (const winnow__pattern_text *)(const void *)(block + pattern->others);
    const uint64_t mask = (UINT64_C(1) << pattern->log2_slots) - 1;
    uint64_t at = winnow__string_hash(pattern->seed, bytes, text.number) & mask;
    uint64_t steps = 1;

    for (;; steps++, at = (at + 1) & mask) {
        cr_assert_neq(slots[at], 0, "a text is missing");
        const winnow__pattern_text *const other =
            &texts[(uint32_t)slots[at] - 1];
        if (other->bytes == text.number &&
            memcmp(winnow__pattern_bytes(pattern, other), bytes, text.number) ==
                0)
            return steps;
    }
}

Test(text_list, texts_that_meet) {
    const unsigned blocks = reduced_mode() ? FEWER : LOG2_TEXTS;
    struct list list = {.number = UINT64_C(1) << blocks,
                        .bytes = BLOCK * (size_t)blocks};
    unsigned char other[MOST_BYTES];
    winnow__string_test *test;
    uint64_t steps = 0;

    list.texts = must_alloc(list.number * list.bytes);
    for (uint64_t i = 0; i < list.number; i++)
        write_text(list.texts + i * list.bytes, i, blocks);
    cr_assert_eq(winnow__string_test_list(&test, text_at, &list, list.number),
                 WINNOW_OK);
    cr_assert_eq(test->pattern->number, list.number);
    for (uint64_t i = 0; i < list.number; i++) {
        const unsigned char *const text = list.texts + i * list.bytes;

        steps += steps_of(test->pattern, text_at(&list, i));
        cr_assert_leq(steps, 3 * list.number);
        cr_assert(winnow__matches(WINNOW__PATTERN_LIST, test->pattern, text,
                                  list.bytes));
        memcpy(other, text, list.bytes);
        other[i % list.bytes] ^= 2;
        cr_assert_not(winnow__matches(WINNOW__PATTERN_LIST, test->pattern,
                                      other, list.bytes));
    }
    winnow__string_test_release(test);
    free(list.texts);
}

/* Texts of any length that differ by what a shorter one lacks, and the same twice. */
Test(text_list, lengths_and_repetitions) {
    static const unsigned char zeros[64];
    struct list list = {.number = 65};
    winnow__string_test *test;

    for (unsigned length = 0; length < 64; length += 7) {
        list.bytes = length;
        list.texts = must_alloc(list.number * list.bytes + 1);
        memset(list.texts, 0, list.number * list.bytes);
        cr_assert_eq(
            winnow__string_test_list(&test, text_at, &list, list.number),
            WINNOW_OK);
        cr_assert_eq(test->pattern->number, 1);
        for (unsigned bytes = 0; bytes < 64; bytes++)
            cr_assert_eq(winnow__matches(WINNOW__PATTERN_LIST, test->pattern,
                                         zeros, bytes),
                         bytes == length);
        winnow__string_test_release(test);
        free(list.texts);
    }
}
