/*
 * Lists of texts, as hash tables.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "filter.h"
#include "hash.h"

#include "core/status.h"

#include <string.h>

enum {
    /* Slots that a text is compared with when half of the table is used: 4 by chance.
     * A seed that needs more than this is rejected. */
    STEPS = 16,
    SEEDS = 64, /* to try */
    /* Bits of the filter per text: at most one string in 16 is looked up in vain. */
    BITS_EACH = 16,
    LEAST_LOG2 = 12,
    MOST_LOG2 = 23 /* 1 MiB, which fits in the caches of CPUs */
};

/* The bytes of all texts, rounded up. False: there are too many. */
static bool measure(winnow__next_text *next, const void *argument,
                    uint64_t number, uint64_t *room_p) {
    *room_p = 0;
    for (uint64_t i = 0; i < number; i++) {
        const winnow__bytes text = next(argument, i);
        if (text.number > UINT32_MAX)
            return false;
        *room_p += winnow__text_room(text.number);
    }
    return *room_p / 8 <= UINT32_MAX / 2;
}

/* The slot of a text: that of its hash, or the next one that is free or has the text.
 * *steps counts the steps. */
static uint64_t *slot_of(winnow__pattern *pattern, winnow__bytes text,
                         uint64_t hash, uint64_t *steps) {
    uint64_t *const slots = winnow__pattern_part(pattern, pattern->table);
    const winnow__pattern_text *const texts =
        winnow__pattern_part(pattern, pattern->others);
    const uint64_t mask = (UINT64_C(1) << pattern->log2_slots) - 1;
    uint64_t slot = hash & mask;
    for (; slots[slot] != 0; slot = (slot + 1) & mask, ++*steps) {
        const winnow__pattern_text *const other =
            &texts[(uint32_t)slots[slot] - 1];
        if ((slots[slot] ^ hash) >> 32 == 0 && other->bytes == text.number &&
            winnow__same(winnow__pattern_bytes(pattern, other),
                         (const unsigned char *)text.bytes, text.number))
            break;
    }
    return &slots[slot];
}

/* Add a text, unless it is there. */
static void add(winnow__pattern *pattern, uint64_t *place, winnow__bytes text,
                uint64_t *steps) {
    winnow__pattern_text *const texts =
        winnow__pattern_part(pattern, pattern->others);
    const uint64_t hash = winnow__string_hash(
        pattern->seed, (const unsigned char *)text.bytes, text.number);
    uint64_t *const slot = slot_of(pattern, text, hash, steps);
    if (*slot != 0)
        return;
    texts[pattern->number++] = winnow__put_text(pattern, place, text);
    *slot = (hash & UINT64_C(0xffffffff00000000)) | pattern->number;
    pattern->lengths |= winnow__string_length_bit(text.number);
    if (text.number < pattern->least)
        pattern->least = (uint32_t)text.number;
}

/* False: with this seed, texts are too far from the slots of their hashes. */
static bool fill(winnow__pattern *pattern, winnow__next_text *next,
                 const void *argument, uint64_t number, unsigned seed) {
    uint64_t place = pattern->others + number * sizeof(winnow__pattern_text);
    uint64_t steps = 0;
    memset(winnow__pattern_part(pattern, pattern->table), 0,
           sizeof(uint64_t) << pattern->log2_slots);
    pattern->number = 0;
    pattern->lengths = 0;
    pattern->least = number != 0 ? UINT32_MAX : 0;
    winnow__string_seed(seed, pattern->seed);
    for (uint64_t i = 0; i < number; i++) {
        add(pattern, &place, next(argument, i), &steps);
        if (steps > STEPS * number && seed < SEEDS)
            return false;
    }
    pattern->bytes = place;
    return true;
}

static void set_bit(winnow__pattern *list, uint64_t place) {
    uint64_t *const words = winnow__pattern_part(list, list->filter);
    words[place / 64] |= UINT64_C(1) << place % 64;
}

static void make_filter(winnow__pattern *list) {
    const winnow__pattern_text *const texts =
        winnow__pattern_part(list, list->others);
    for (uint32_t i = 0; i < list->number; i++) {
        const unsigned char *const text =
            winnow__pattern_bytes(list, &texts[i]);
        const uint32_t bytes = texts[i].bytes;
        const uint64_t few = bytes < 8 ? winnow__load_few(text, bytes) : 0;
        set_bit(list, bytes < 8 ? winnow__filter_place(list, bytes, few, few)
                                : winnow__filter_ends(list, text, bytes));
        if (bytes > WINNOW__VIEW_INLINE)
            set_bit(list, winnow__filter_place(list, bytes,
                                               winnow__load_32(text), 0));
    }
}

winnow_status winnow__string_test_list(winnow__string_test **test_p,
                                       winnow__next_text *next,
                                       const void *argument, uint64_t number) {
    uint64_t room;
    unsigned seed = 0, log2_bits = LEAST_LOG2;
    uint32_t log2_slots = 1;
    if (number > WINNOW_CONDITION_MOST_VALUES ||
        !measure(next, argument, number, &room))
        return winnow__fail(WINNOW_ERR_UNSUPPORTED,
                            "a list of %llu texts: at most %u are possible, of "
                            "16 GiB in all",
                            (unsigned long long)number,
                            WINNOW_CONDITION_MOST_VALUES);
    while (UINT64_C(1) << log2_slots < 2 * number)
        log2_slots++;
    while (log2_bits < MOST_LOG2 &&
           UINT64_C(1) << log2_bits < BITS_EACH * number)
        log2_bits++;
    const uint64_t table = sizeof(winnow__pattern);
    const uint64_t filter = table + (sizeof(uint64_t) << log2_slots);
    const uint64_t others = filter + (UINT64_C(1) << log2_bits) / 8;
    const uint64_t place = others + number * sizeof(winnow__pattern_text);
    winnow__string_test *const test = winnow__string_test_new(
        WINNOW__PATTERN_LIST, place + room - sizeof(winnow__pattern));
    if (test == NULL)
        return WINNOW_ERR_MEMORY;
    winnow__pattern *const made = test->pattern;
    made->log2_slots = log2_slots;
    made->table = table;
    made->filter = filter;
    made->filter_shift = 64 - log2_bits;
    made->others = others;
    while (!fill(made, next, argument, number, seed))
        seed++;
    make_filter(made);
    *test_p = test;
    return WINNOW_OK;
}
