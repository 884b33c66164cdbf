/*
 * Is a string like a pattern, or in a list? Plain C, for both sides. The file that
 * includes it defines
 *
 *   WINNOW__LIKE_FUNCTION      what a function begins with
 *   WINNOW__LIKE_STRING        the type of a string, passed by value
 *   WINNOW__LIKE_BYTE(s, i)    byte i of a string
 *   WINNOW__LIKE_EQUAL(s, i, block, text)
 *                              does the string have the text at i, where it has
 *                              as many bytes?
 *   WINNOW__LIKE_FIND(s, i, end, block, text)
 *                              where the first such text begins, from i on and
 *                              before `end` altogether; WINNOW__LIKE_NONE: none,
 *                              in time linear in the bytes of both
 *   WINNOW__LIKE_FIND_SEGMENT  perhaps: where the segment ends first that begins at
 *                              i or behind it, if it finds that; by the arguments
 *                              of winnow__like_find(), and where to
 *
 * Each segment is taken at the first place where it matches: what begins later
 * ends no earlier, so that the segments behind it have the most room.
 *
 * No guard: it is included once for each way. pattern.h is included before.
 *
 * SPDX-License-Identifier: Apache-2.0
 */

/* Does a character begin at byte i, which the string has? */
WINNOW__LIKE_FUNCTION bool winnow__like_begins(WINNOW__LIKE_STRING s,
                                               uint64_t i) {
    return i == 0 || (WINNOW__LIKE_BYTE(s, i) & 0xc0) != 0x80;
}

/* Behind this many characters from i on; NONE: they do not end before `end`. */
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

/* The same from i back; NONE: they do not begin at `begin` or behind it. */
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

/* Where the segment ends that begins at i; NONE: it does not, or not before
 * `end`. */
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

/* Where the segment begins that ends with the string, at `begin` or behind it. */
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

/* Where the first match of the segment ends, which begins with a text, from i on and
 * before `end`. It gives up once what failed, `size` each, is more than patience
 * has. */
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
/* The same in time; *at_p. False: in any time. */
WINNOW__LIKE_FUNCTION bool
winnow__like_find_in_time(WINNOW__LIKE_STRING s, uint64_t bytes, uint64_t i,
                          uint64_t end, const unsigned char *block,
                          const winnow__pattern_step *step, uint32_t steps,
                          uint64_t *at_p) {
    int64_t patience = WINNOW__FIND_PATIENCE;
    uint64_t size = 0; /* of a match */
    for (uint32_t k = 0; k < steps; k++)
        size += (uint64_t)step[k].skip + step[k].text.bytes;
    *at_p = winnow__like_find_text(s, bytes, i, end, block, step, steps, size,
                                   &patience);
    return patience >= 0 || WINNOW__LIKE_FIND_SEGMENT(s, bytes, i, end, block,
                                                      step, steps, at_p);
}
#endif

/* Of any segment. Characters that it begins with are the first ones from i on, for
 * any bytes may stand before the segment, so behind them, too. */
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
        /* What continues a character begins none. */
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

/* Is one with this hash among the texts of a list? */
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
