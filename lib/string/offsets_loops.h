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
    OFFSET fall = 0; /* its highest bit */
    unsigned i = 0;
#if BITS == 32 && defined(__SSE2__)
    __m128i falls = _mm_setzero_si128();
    for (; i + 4 <= items; i += 4) {
        const __m128i a = load_four(offset + i), b = load_four(offset + i + 1);
        falls = _mm_or_si128(falls, _mm_or_si128(a, _mm_sub_epi32(b, a)));
    }
    fall = (OFFSET)_mm_movemask_ps(_mm_castsi128_ps(falls)) << 28;
    fall = fall != 0 ? (OFFSET)1 << 31 : 0;
#endif
    for (; i < items; i++)
        fall |= offset[i] | (offset[i + 1] - offset[i]);
    return fall >> (BITS - 1) == 0 &&
           offset[items] <= (size < most ? size : most);
}

/* Which of a word's strings have `bytes` bytes, or at least as many. */
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
    for (unsigned i = 0; i < left; i++) {
        const uint64_t length = offset[i + 1] - offset[i];
        word = push(word, exact ? length == bytes : length >= bytes);
    }
    return pushed(word, left);
}

/* Fetch the bytes of some of a word's strings: of all, where they lie together. */
INLINE void OF(fetch_)(const unsigned char *data, const OFFSET *offset,
                       unsigned left) {
    const uint64_t bytes = offset[left] - offset[0];
    for (uint64_t i = 0; bytes <= TOGETHER && i < bytes; i += LINE)
        __builtin_prefetch(data + offset[0] + i);
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
    /* Behind the text's end, or where it begins. */
    const OFFSET *at = kind == WINNOW__PATTERN_ENDS ? offset + 1 : offset;
    const uint64_t back = kind == WINNOW__PATTERN_ENDS ? bytes : 0;
    for (unsigned start = 0; start < items; start += WORD) {
        const uint32_t word =
            OF(lengths_)(offset + start, items_left(start, items), bytes,
                         kind == WINNOW__PATTERN_EQUAL);
        words[start / WORD] = word;
        if (w == NONE)
            continue;
        if (are_few(word))
            for (uint32_t some = word; some != 0; some &= some - 1)
                __builtin_prefetch(data +
                                   (at[start + __builtin_ctz(some)] - back));
        else if (kind == WINNOW__PATTERN_EQUAL)
            OF(fetch_)(data, offset + start, items_left(start, items));
    }
    for (unsigned start = 0; w != NONE && start < items;
         start += WORD, at += WORD) {
        uint32_t word = words[start / WORD];
        if (word == UINT32_MAX) {
            word = 0;
            for (unsigned i = 0; i < WORD; i++)
                word |= (uint32_t)same(w, data + (at[i] - back), &wanted, text,
                                       bytes)
                        << i;
        } else {
            for (uint32_t some = word; some != 0; some &= some - 1) {
                const unsigned i = (unsigned)__builtin_ctz(some);
                word ^= (uint32_t)!same(w, data + (at[i] - back), &wanted, text,
                                        bytes)
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
        if (place + bytes <= offset[i + 1])
            words[i / WORD] |= UINT32_C(1) << i % WORD;
        /* No other place in the string matters, nor any in one that is too
         * short. */
        do
            i++;
        while (i < items && (uint64_t)(offset[i + 1] - offset[i]) < bytes);
        if (i == items)
            break;
        s = data + offset[i];
    }
}

/* By the first 8 bytes, as numbers; where they are the text's, by all. */
static void OF(order_)(winnow__pattern_kind kind,
                       const winnow__string_column *column,
                       const winnow__pattern *pattern, const OFFSET *offset,
                       unsigned items, uint32_t *words) {
    const unsigned char *const data = column->data;
    const unsigned char *const text =
        winnow__pattern_bytes(pattern, &pattern->text);
    const uint64_t bytes = pattern->text.bytes;
    const uint64_t front = __builtin_bswap64(
        bytes >= 8 ? winnow__load_64(text) : winnow__load_few(text, bytes));
    for (unsigned start = 0; start < items; start += WORD, offset += WORD) {
        const unsigned left = items_left(start, items);
        uint32_t word = 0, even = 0;
        for (unsigned i = 0; i < left; i++) {
            const uint64_t s = __builtin_bswap64(
                winnow__load_64(data + offset[i]) &
                winnow__first_bytes(offset[i + 1] - offset[i]));
            word = push(word, s < front);
            even = push(even, s == front);
        }
        word = pushed(word, left);
        even = pushed(even, left);
        for (; even != 0; even &= even - 1) {
            const unsigned i = (unsigned)__builtin_ctz(even);
            const int order = winnow__order(
                data + offset[i], offset[i + 1] - offset[i], text, bytes);
            word |= (uint32_t)(kind == WINNOW__PATTERN_LESS ? order < 0
                                                            : order <= 0)
                    << i;
        }
        words[start / WORD] = word;
    }
}

static void OF(look_up_)(const winnow__string_column *column,
                         const winnow__string_test *test, const OFFSET *offset,
                         unsigned items, uint32_t *words) {
    const unsigned char *const data = column->data;
    const winnow__pattern *const pattern = test->pattern;
    for (unsigned start = 0; start < items; start += WORD, offset += WORD) {
        const unsigned left = items_left(start, items);
        uint32_t word = 0;
        for (unsigned i = 0; i < left; i++) {
            const uint64_t bytes = offset[i + 1] - offset[i];
            const uint64_t place =
                winnow__filter_ends(pattern, data + offset[i], bytes);
            word = push(word, winnow__filter_has(pattern, place));
        }
        word = pushed(word, left);
        for (uint32_t some = word; some != 0; some &= some - 1) {
            const unsigned i = (unsigned)__builtin_ctz(some);
            word ^= (uint32_t)!winnow__string_find(pattern, data + offset[i],
                                                   offset[i + 1] - offset[i])
                    << i;
        }
        words[start / WORD] = word;
    }
}

/* How many of them, from the first on, have 8 bytes that can be read? */
static unsigned OF(readable_)(const OFFSET *offset, unsigned items,
                              uint64_t size) {
    const uint64_t last = size - 8;
    while (items != 0 && (size < 8 || offset[items - 1] > last))
        items--;
    return items / WORD * WORD;
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

unsigned OF(winnow__test_offsets_)(const winnow__string_column *column,
                                   const winnow__string_test *test,
                                   uint64_t first, unsigned items,
                                   uint32_t *words) {
    const winnow__pattern *const pattern = test->pattern;
    const OFFSET *const offset = (const OFFSET *)column->strings + first;
    if (!OF(ascend_)(offset, items, column->size))
        return 0;
    switch (pattern->kind) {
        OF_KIND(WINNOW__PATTERN_EQUAL)
        OF_KIND(WINNOW__PATTERN_STARTS)
        OF_KIND(WINNOW__PATTERN_ENDS)
    case WINNOW__PATTERN_CONTAINS:
        OF(contain_)(column, pattern, offset, items, words);
        break;
    case WINNOW__PATTERN_LIST:
        items = OF(readable_)(offset, items, column->size);
        OF(look_up_)(column, test, offset, items, words);
        break;
    default:
        items = OF(readable_)(offset, items, column->size);
        OF(order_)
        ((winnow__pattern_kind)pattern->kind, column, pattern, offset, items,
         words);
    }
    return items;
}

#undef OF_KIND
#undef OF_WIDTH
