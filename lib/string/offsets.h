/*
 * Strings behind offsets of BITS bits, a word of 32 at a time: tests by their
 * lengths, and by 8 bytes of each, without a branch. No guard: loops.c includes this
 * file for both widths.
 *
 * SPDX-License-Identifier: Apache-2.0
 */

/* Do the offsets ascend, and is none beyond the bytes? Then differences are lengths;
 * with 32 bits they are below 2^31. */
static bool OF(ascend_)(const OFFSET *offset, unsigned items, uint64_t size) {
    const uint64_t most = BITS == 32 ? INT32_MAX : INT64_MAX;
    OFFSET fall = 0; /* its highest bit: did one fall? */
    unsigned i = 0;
#if BITS == 32 && defined(__SSE2__)
    __m128i falls = _mm_setzero_si128();
    for (; i + 4 <= items; i += 4) {
        const __m128i a = load_four(offset + i), b = load_four(offset + i + 1);
        __builtin_prefetch((const char *)(offset + i) + WINNOW__STRING_AHEAD);
        falls = _mm_or_si128(falls, _mm_or_si128(a, _mm_sub_epi32(b, a)));
    }
    fall = (OFFSET)(_mm_movemask_ps(_mm_castsi128_ps(falls)) != 0) << 31;
#endif
    for (; i < items; i++)
        fall |= offset[i] | (offset[i + 1] - offset[i]);
    return fall >> (BITS - 1) == 0 &&
           offset[items] <= (size < most ? size : most);
}

/* The strings of a word that have exactly `bytes` bytes, or at least `bytes`. */
INLINE uint32_t OF(lengths_)(const OFFSET *offset, unsigned left,
                             uint64_t bytes, bool exact) {
    uint32_t word = 0;
#if BITS == 32 && defined(__SSE2__)
    if (left == WORD) {
        const __m128i least = _mm_set1_epi32((int32_t)bytes - !exact);
        for (unsigned i = 0; i < WORD; i += 4) {
            const __m128i length =
                _mm_sub_epi32(load_four(offset + i + 1), load_four(offset + i));
            const __m128i right = exact ? _mm_cmpeq_epi32(length, least)
                                        : _mm_cmpgt_epi32(length, least);
            word |= (uint32_t)_mm_movemask_ps(_mm_castsi128_ps(right)) << i;
        }
        return word;
    }
#endif
    for (unsigned i = left; i-- != 0;) {
        const uint64_t length = offset[i + 1] - offset[i];
        word = push(word, exact ? length == bytes : length >= bytes);
    }
    return word;
}

/* Compare by the first 8 bytes, as numbers. */
INLINE verdict OF(order_)(const winnow__pattern *pattern,
                          const unsigned char *data, const OFFSET *offset,
                          unsigned left) {
    const uint64_t front = winnow__front_of(pattern, 8);
    uint32_t less = 0, even = 0;
    for (unsigned i = left; i-- != 0;) {
        const uint64_t s =
            __builtin_bswap64(winnow__load_64(data + offset[i]) &
                              winnow__first_bytes(offset[i + 1] - offset[i]));
        less = push(less, s < front);
        even = push(even, s == front);
    }
    return (verdict){less, even};
}

/* Compare 8 bytes of each string, at its beginning or at its end. */
INLINE verdict OF(compare_)(winnow__pattern_kind kind,
                            const winnow__pattern *pattern,
                            const unsigned char *data, const OFFSET *offset,
                            unsigned left) {
    const bool ends = kind == WINNOW__PATTERN_ENDS;
    const uint32_t bytes = pattern->text.bytes, shown = bytes < 8 ? bytes : 8;
    const unsigned shift = ends ? 8 * (8 - shown) : 0;
    const uint64_t mask = winnow__first_bytes(shown) << shift;
    const uint64_t text =
        winnow__load_few(winnow__pattern_bytes(pattern, &pattern->text) +
                             (ends ? bytes - shown : 0),
                         shown)
        << shift;
    uint32_t word = 0;
    for (unsigned i = left; i-- != 0;)
        word = push(word, (winnow__load_64(
                               data + (ends ? offset[i + 1] - 8 : offset[i])) &
                           mask) == text);
    word &= OF(lengths_)(offset, left, bytes, false);
    return bytes <= 8 ? (verdict){word, 0} : (verdict){0, word};
}

INLINE verdict OF(look_up_)(const winnow__pattern *list,
                            const unsigned char *data, const OFFSET *offset,
                            unsigned left) {
    uint32_t word = 0;
    for (unsigned i = left; i-- != 0;)
        word = push(word,
                    winnow__filter_has(
                        list, winnow__filter_ends(list, data + offset[i],
                                                  offset[i + 1] - offset[i])));
    return (verdict){0, word};
}

INLINE verdict OF(look_)(winnow__pattern_kind kind,
                         const winnow__string_column *column,
                         const winnow__pattern *pattern, uint64_t first,
                         unsigned left) {
    const OFFSET *const offset = (const OFFSET *)column->strings + first;
    if (kind == WINNOW__PATTERN_EQUAL)
        return (verdict){0,
                         OF(lengths_)(offset, left, pattern->text.bytes, true)};
    /* Can 8 bytes of each be read? */
    if (kind == WINNOW__PATTERN_ENDS
            ? pattern->text.bytes == 0 || offset[1] < 8
            : column->size < 8 || offset[left - 1] > column->size - 8)
        return (verdict){0, inside(left)};
    if (kind == WINNOW__PATTERN_STARTS || kind == WINNOW__PATTERN_ENDS)
        return OF(compare_)(kind, pattern, column->data, offset, left);
    if (kind == WINNOW__PATTERN_LIST)
        return OF(look_up_)(pattern, column->data, offset, left);
    if (kind == WINNOW__PATTERN_LESS || kind == WINNOW__PATTERN_LESS_EQUAL)
        return OF(order_)(pattern, column->data, offset, left);
    return (verdict){0, inside(left)};
}

/* Find all places of the text, and set the bit of the string that each place is in,
 * if there is one. */
static void OF(contain_)(const winnow__string_column *column,
                         const winnow__pattern *pattern, uint64_t first,
                         unsigned items, uint32_t *words) {
    const OFFSET *const offset = (const OFFSET *)column->strings + first;
    const unsigned char *const data = column->data;
    const uint64_t bytes = pattern->text.bytes;
    const winnow__needle needle = winnow__needle_of(
        winnow__pattern_bytes(pattern, &pattern->text), bytes);
    const unsigned char *s = data + offset[0], *const end =
                                                   data + offset[items];
    unsigned i = 0;
    memset(words, 0, (items + WORD - 1) / WORD * sizeof words[0]);
    while ((s = winnow__find_needle(&needle, s, (uint64_t)(end - s))) != NULL) {
        const uint64_t place = (uint64_t)(s - data);
        while (offset[i + 1] <= place)
            i++;
        if (place + bytes <= offset[i + 1])
            words[i / WORD] |= UINT32_C(1) << i % WORD;
        /* Skip other places in this string, and strings that are too short. */
        do
            i++;
        while (i < items && (uint64_t)(offset[i + 1] - offset[i]) < bytes);
        if (i == items)
            break;
        s = data + offset[i];
    }
}
