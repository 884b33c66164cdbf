/*
 * Lists of texts, as hash tables.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "filter.h"
#include "hash.h"

#include "core/status.h"

#include <string.h>

/* Bytes of all texts, filled up; and a number of which each text has a part:
 * hashes that are drawn from it are not known to who chooses the texts. False:
 * there are too many. */
static bool measure(winnow__next_text *next, const void *argument,
                    uint64_t number, uint64_t *room_p, uint64_t *seed_p) {
    *room_p = 0;
    *seed_p = number;
    for (uint64_t i = 0; i < number; i++) {
        const winnow__bytes text = next(argument, i);
        if (text.number > UINT32_MAX)
            return false;
        *room_p += winnow__text_room(text.number);
        *seed_p = winnow__string_hash_end(
            *seed_p ^ winnow__string_hash(0, (const unsigned char *)text.bytes,
                                          text.number));
    }
    return *room_p / 8 <= UINT32_MAX / 2;
}

/* Add a text, if it is not there. */
static void add(winnow__pattern *pattern, uint64_t *place, winnow__bytes text) {
    unsigned char *const block = (unsigned char *)pattern;
    uint64_t *const slots = (uint64_t *)(void *)(block + pattern->table);
    winnow__pattern_text *const texts =
        (winnow__pattern_text *)(void *)(block + pattern->others);
    const uint64_t mask = (UINT64_C(1) << pattern->log2_slots) - 1;
    const unsigned char *const bytes = (const unsigned char *)text.bytes;
    const uint64_t hash =
        winnow__string_hash(pattern->seed, bytes, text.number);
    uint64_t slot = hash & mask;
    if (winnow__string_find(pattern, bytes, text.number))
        return;
    while (slots[slot] != 0)
        slot = (slot + 1) & mask;
    texts[pattern->number++] = winnow__put_text(pattern, place, text);
    slots[slot] = (hash & UINT64_C(0xffffffff00000000)) | pattern->number;
    pattern->lengths |= winnow__string_length_bit(text.number);
    if (text.number < pattern->least)
        pattern->least = (uint32_t)text.number;
}

winnow_status winnow__string_test_list(winnow__string_test **test_p,
                                       winnow__next_text *next,
                                       const void *argument, uint64_t number) {
    uint64_t room, seed;
    uint32_t log2_slots = 1;
    if (number > WINNOW_CONDITION_MOST_VALUES ||
        !measure(next, argument, number, &room, &seed))
        return winnow__fail(WINNOW_ERR_UNSUPPORTED,
                            "a list of %llu texts: at most %u are possible, of "
                            "16 GiB in all",
                            (unsigned long long)number,
                            WINNOW_CONDITION_MOST_VALUES);
    while (UINT64_C(1) << log2_slots < 2 * number)
        log2_slots++;
    const uint64_t table = sizeof(winnow__pattern);
    const uint64_t others = table + (sizeof(uint64_t) << log2_slots);
    uint64_t place = others + number * sizeof(winnow__pattern_text);
    winnow__string_test *const test = winnow__string_test_new(
        WINNOW__PATTERN_LIST, place + room - sizeof(winnow__pattern));
    if (test == NULL)
        return WINNOW_ERR_MEMORY;
    winnow__pattern *const made = test->pattern;
    made->log2_slots = log2_slots;
    made->table = table;
    made->others = others;
    made->seed = seed;
    made->least = number != 0 ? UINT32_MAX : 0;
    for (uint64_t i = 0; i < number; i++)
        add(made, &place, next(argument, i));
    made->bytes = place;
    test->filter = winnow__filter_of(made);
    if (test->filter == NULL) {
        winnow__string_test_release(test);
        return WINNOW_ERR_MEMORY;
    }
    *test_p = test;
    return WINNOW_OK;
}
