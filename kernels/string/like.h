/*
 * Is a string like a pattern, or in a list? Plain C, for both sides. The file that
 * includes it defines
 *
 *   WINNOW__LIKE_FUNCTION      the specifiers of a function
 *   WINNOW__LIKE_STRING        the type of a parameter that is a string
 *   WINNOW__LIKE_BYTE(s, i)    byte i of a string
 *   WINNOW__LIKE_EQUAL(s, i, block, text)
 *                              does the string have the text at i? It has that
 *                              many bytes from i on
 *   WINNOW__LIKE_FIND(s, i, end, block, text)
 *                              where the text first begins, from i on and
 *                              ending by `end`, or WINNOW__LIKE_NONE; in time
 *                              linear in the bytes of string and text
 *   WINNOW__LIKE_FIND_SEGMENT  optional: winnow__like_find() in linear time, with
 *                              its arguments and a pointer to the result. False:
 *                              out of memory
 *
 * Each segment matches at the first possible place: a match that begins later
 * ends no earlier, so this leaves the most bytes for the next segments.
 *
 * No guard: several files include it. pattern.h is included before.
 *
 * SPDX-License-Identifier: Apache-2.0
 */

/* Does a character begin at byte i of the string? */
WINNOW__LIKE_FUNCTION bool winnow__like_begins(WINNOW__LIKE_STRING s,
                                               uint64_t i) {
    return i == 0 || (WINNOW__LIKE_BYTE(s, i) & 0xc0) != 0x80;
}

/* The place after this many characters from i on; NONE if behind `end`. */
WINNOW__LIKE_FUNCTION uint64_t winnow__like_skip(WINNOW__LIKE_STRING s,
                                                 uint64_t i, uint64_t end,
                                                 uint32_t characters,
                                                 uint64_t bytes) {
    for (; characters != 0; characters--) {
        if (i >= end || !winnow__like_begins(s, i))
            return WINNOW__LIKE_NONE;
        do
            i++;
        while (i < bytes && !winnow__like_begins(s, i));
    }
    return i <= end ? i : WINNOW__LIKE_NONE;
}

/* The place of this many characters before i; NONE if it is before `begin`. */
WINNOW__LIKE_FUNCTION uint64_t winnow__like_skip_back(WINNOW__LIKE_STRING s,
                                                      uint64_t i,
                                                      uint64_t begin,
                                                      uint32_t characters,
                                                      uint64_t bytes) {
    for (; characters != 0; characters--) {
        if (i < bytes && !winnow__like_begins(s, i))
            return WINNOW__LIKE_NONE;
        do {
            if (i <= begin)
                return WINNOW__LIKE_NONE;
            i--;
        } while (!winnow__like_begins(s, i));
    }
    return i;
}

/* Where a match of the segment at i ends; NONE if there is none, or none that
 * ends by `end`. */
WINNOW__LIKE_FUNCTION uint64_t
winnow__like_match(WINNOW__LIKE_STRING s, uint64_t bytes, uint64_t i,
                   uint64_t end, const unsigned char *block,
                   const winnow__pattern_step *step, uint32_t steps) {
    for (; steps != 0; steps--, step++) {
        i = winnow__like_skip(s, i, end, step->skip, bytes);
        if (i == WINNOW__LIKE_NONE || end - i < step->text.bytes ||
            !WINNOW__LIKE_EQUAL(s, i, block, &step->text))
            return WINNOW__LIKE_NONE;
        i += step->text.bytes;
    }
    return i;
}

/* Where the segment begins if it ends the string; NONE if before `begin`. */
WINNOW__LIKE_FUNCTION uint64_t
winnow__like_match_back(WINNOW__LIKE_STRING s, uint64_t bytes, uint64_t begin,
                        const unsigned char *block,
                        const winnow__pattern_step *step, uint32_t steps) {
    uint64_t i = bytes;
    for (step += steps; steps != 0; steps--) {
        step--;
        if (i - begin < step->text.bytes)
            return WINNOW__LIKE_NONE;
        i -= step->text.bytes;
        if (!WINNOW__LIKE_EQUAL(s, i, block, &step->text))
            return WINNOW__LIKE_NONE;
        i = winnow__like_skip_back(s, i, begin, step->skip, bytes);
        if (i == WINNOW__LIKE_NONE)
            return i;
    }
    return i;
}

/* Where the first match of the segment from i on ends, by `end`; the segment
 * begins with a text. Each failed match takes `size` from the patience: the
 * search stops when that is below 0. */
WINNOW__LIKE_FUNCTION uint64_t winnow__like_find_text(
    WINNOW__LIKE_STRING s, uint64_t bytes, uint64_t i, uint64_t end,
    const unsigned char *block, const winnow__pattern_step *step,
    uint32_t steps, uint64_t size, int64_t *patience) {
    while (*patience >= 0) {
        const uint64_t at = WINNOW__LIKE_FIND(s, i, end, block, &step->text);
        if (at == WINNOW__LIKE_NONE)
            return at;
        const uint64_t behind = winnow__like_match(
            s, bytes, at + step->text.bytes, end, block, step + 1, steps - 1);
        if (behind != WINNOW__LIKE_NONE)
            return behind;
        *patience +=
            (int64_t)((at + 1 - i) * WINNOW__FIND_WORTH) - (int64_t)size;
        i = at + 1;
    }
    return WINNOW__LIKE_NONE;
}

#ifdef WINNOW__LIKE_FIND_SEGMENT
/* The same in linear time; the result is *at_p. False: out of memory. */
WINNOW__LIKE_FUNCTION bool
winnow__like_find_in_time(WINNOW__LIKE_STRING s, uint64_t bytes, uint64_t i,
                          uint64_t end, const unsigned char *block,
                          const winnow__pattern_step *step, uint32_t steps,
                          uint64_t *at_p) {
    int64_t patience = WINNOW__FIND_PATIENCE;
    uint64_t size = 0; /* of a match; a character counts as a byte */
    for (uint32_t k = 0; k < steps; k++)
        size += (uint64_t)step[k].skip + step[k].text.bytes;
    *at_p = winnow__like_find_text(s, bytes, i, end, block, step, steps, size,
                                   &patience);
    return patience >= 0 || WINNOW__LIKE_FIND_SEGMENT(s, bytes, i, end, block,
                                                      step, steps, at_p);
}
#endif

/* The same for any segment. If it begins with characters, they match the first
 * ones from i on: the text after them may be at any place behind these. */
WINNOW__LIKE_FUNCTION uint64_t
winnow__like_find(WINNOW__LIKE_STRING s, uint64_t bytes, uint64_t i,
                  uint64_t end, const unsigned char *block,
                  const winnow__pattern_step *step, uint32_t steps) {
    int64_t patience = 0;
    if (step->skip != 0) {
        while (i < end && !winnow__like_begins(s, i))
            i++;
        i = winnow__like_skip(s, i, end, step->skip, bytes);
        if (i == WINNOW__LIKE_NONE || step->text.bytes == 0)
            return i;
        /* A text that continues a character is never after whole characters. */
        if ((block[(uint64_t)8 * step->text.place] & 0xc0) == 0x80)
            return WINNOW__LIKE_NONE;
    }
#ifdef WINNOW__LIKE_FIND_SEGMENT
    uint64_t at;
    if (winnow__like_find_in_time(s, bytes, i, end, block, step, steps, &at))
        return at;
#endif
    return winnow__like_find_text(s, bytes, i, end, block, step, steps, 0,
                                  &patience);
}

WINNOW__LIKE_FUNCTION bool winnow__is_like(WINNOW__LIKE_STRING s,
                                           uint64_t bytes,
                                           const winnow__pattern *pattern) {
    const unsigned char *const block = (const unsigned char *)pattern;
    const winnow__pattern_segment *segment =
        (const winnow__pattern_segment *)(const void *)(block + pattern->table);
    const winnow__pattern_step *const steps =
        (const winnow__pattern_step *)(const void *)(block + pattern->others);
    const winnow__pattern_segment *last = segment + pattern->number;
    uint64_t i = 0, end = bytes;
    if (bytes < pattern->least)
        return false;
    if (!pattern->open_front) {
        i = winnow__like_match(s, bytes, 0, bytes, block,
                               steps + segment->first, segment->steps);
        if (i == WINNOW__LIKE_NONE)
            return false;
        segment++;
    }
    if (segment == last)
        return pattern->open_back || i == bytes;
    if (!pattern->open_back) {
        last--;
        end = winnow__like_match_back(s, bytes, i, block, steps + last->first,
                                      last->steps);
        if (end == WINNOW__LIKE_NONE)
            return false;
    }
    for (; segment != last; segment++) {
        i = winnow__like_find(s, bytes, i, end, block, steps + segment->first,
                              segment->steps);
        if (i == WINNOW__LIKE_NONE)
            return false;
    }
    return true;
}

/* Is the string, which has this hash, in the list? */
WINNOW__LIKE_FUNCTION bool winnow__list_has(WINNOW__LIKE_STRING s,
                                            uint64_t bytes, uint64_t hash,
                                            const winnow__pattern *list) {
    const unsigned char *const block = (const unsigned char *)list;
    const uint64_t *const slots =
        (const uint64_t *)(const void *)(block + list->table);
    const winnow__pattern_text *const texts =
        (const winnow__pattern_text *)(const void *)(block + list->others);
    const uint64_t mask = ((uint64_t)1 << list->log2_slots) - 1;
    uint64_t found;
    for (uint64_t slot = hash & mask; (found = slots[slot]) != 0;
         slot = (slot + 1) & mask) {
        if ((found ^ hash) >> 32 != 0)
            continue;
        const winnow__pattern_text *const text = &texts[(uint32_t)found - 1];
        if (text->bytes == bytes && WINNOW__LIKE_EQUAL(s, 0, block, text))
            return true;
    }
    return false;
}
