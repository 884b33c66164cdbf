/*
 * The loops of offsets.c for offsets of BITS bits, which it defines. No guard: it
 * is included for both.
 *
 * SPDX-License-Identifier: Apache-2.0
 */

/* Do they ascend, and is none beyond the bytes? Then differences are lengths, and
 * those of 32 bits are below 2^31. */
static bool OF(ascend_)(const OFFSET *offset, unsigned items, uint64_t size) {
    const uint64_t most = BITS == 32 ? INT32_MAX : INT64_MAX;
    uint32_t fall = 0;
    for (unsigned i = 0; i < items; i++)
        fall |= offset[i] > offset[i + 1];
    return fall == 0 && offset[items] <= (size < most ? size : most);
}

/* Which of a word's strings have `bytes` bytes, or at least as many. */
INLINE uint32_t OF(lengths_)(const OFFSET *offset, unsigned left,
                             uint64_t bytes, bool exact) {
    uint32_t word = 0;
#if BITS == 32 && defined(__SSE2__)
    if (left == WORD) {
        const __m128i least = _mm_set1_epi32((int32_t)bytes - !exact);
        for (unsigned i = 0; i < WORD; i += 4) {
            const __m128i length = _mm_sub_epi32(
                _mm_loadu_si128(
                    (const __m128i *)(const void *)(offset + i + 1)),
                _mm_loadu_si128((const __m128i *)(const void *)(offset + i)));
            const __m128i right = exact ? _mm_cmpeq_epi32(length, least)
                                        : _mm_cmpgt_epi32(length, least);
            word |= (uint32_t)_mm_movemask_ps(_mm_castsi128_ps(right)) << i;
        }
        return word;
    }
#endif
    for (unsigned i = 0; i < left; i++) {
        const uint64_t length = offset[i + 1] - offset[i];
        word |= (uint32_t)(exact ? length == bytes : length >= bytes) << i;
    }
    return word;
}

INLINE void OF(compare_)(winnow__pattern_kind kind, width w,
                         const winnow__string_column *column,
                         const winnow__pattern *pattern, const OFFSET *offset,
                         unsigned items, uint32_t *words) {
    const unsigned char *const data = column->data;
    const unsigned char *const text =
        winnow__pattern_bytes(pattern, &pattern->text);
    const uint64_t bytes = pattern->text.bytes;
    const two wanted = load_two(w, text, bytes);
    for (unsigned start = 0; start < items; start += WORD, offset += WORD) {
        const unsigned left = items - start < WORD ? items - start : WORD;
        uint32_t word =
            OF(lengths_)(offset, left, bytes, kind == WINNOW__PATTERN_EQUAL);
        /* Behind the text's end, or where it begins. */
        const OFFSET *const at =
            kind == WINNOW__PATTERN_ENDS ? offset + 1 : offset;
        const unsigned char *const from =
            kind == WINNOW__PATTERN_ENDS ? data - bytes : data;
        if (w == NONE) {
            words[start / WORD] = word;
            continue;
        }
        if (word == UINT32_MAX) {
            word = 0;
            for (unsigned i = 0; i < WORD; i++)
                word |= (uint32_t)same(w, from + at[i], &wanted, text, bytes)
                        << i;
        } else {
            for (uint32_t some = word; some != 0; some &= some - 1) {
                const unsigned i = (unsigned)__builtin_ctz(some);
                word ^= (uint32_t)!same(w, from + at[i], &wanted, text, bytes)
                        << i;
            }
        }
        words[start / WORD] = word;
    }
}

/* Go through the places where the text stands, and give each to the string that
 * it is inside of, if it is in one. */
static void OF(contain_)(const winnow__string_column *column,
                         const winnow__pattern *pattern, const OFFSET *offset,
                         unsigned items, uint32_t *words) {
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
        if (place + bytes <= offset[i + 1]) {
            words[i / WORD] |= UINT32_C(1) << i % WORD;
            s = data + offset[i + 1];
        } else {
            s++;
        }
    }
}

#define OF_WIDTH(KIND, WIDTH)                                                  \
    case WIDTH:                                                                \
        OF(compare_)(KIND, WIDTH, column, pattern, offset, items, words);      \
        break;
#define OF_KIND(KIND)                                                          \
    case KIND:                                                                 \
        switch (width_of(pattern->text.bytes)) {                               \
            OF_WIDTH(KIND, NONE)                                               \
            OF_WIDTH(KIND, ONE)                                                \
            OF_WIDTH(KIND, TWO)                                                \
            OF_WIDTH(KIND, FOUR)                                               \
            OF_WIDTH(KIND, EIGHT)                                              \
        default:                                                               \
            OF(compare_)                                                       \
            (KIND, SIXTEEN, column, pattern, offset, items, words);            \
        }                                                                      \
        break;

bool OF(winnow__test_offsets_)(const winnow__string_column *column,
                               const winnow__pattern *pattern, uint64_t first,
                               unsigned items, uint32_t *words) {
    const OFFSET *const offset = (const OFFSET *)column->strings + first;
    if (!OF(ascend_)(offset, items, column->size))
        return false;
    switch (pattern->kind) {
        OF_KIND(WINNOW__PATTERN_EQUAL)
        OF_KIND(WINNOW__PATTERN_STARTS)
        OF_KIND(WINNOW__PATTERN_ENDS)
    default:
        OF(contain_)(column, pattern, offset, items, words);
    }
    return true;
}

#undef OF_KIND
#undef OF_WIDTH
