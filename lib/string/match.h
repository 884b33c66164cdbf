/*
 * One string and one pattern, on the host.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_LIB_STRING_MATCH_H
#define WINNOW_LIB_STRING_MATCH_H

#include "filter.h"
#include "find.h"
#include "hash.h"
#include "segment.h"
#include "kernels/string/pattern.h"

#define WINNOW__LIKE_EQUAL(s, i, block, text)                                  \
    winnow__same((s) + (i), (block) + UINT64_C(8) * (text)->place,             \
                 (text)->bytes)
#define WINNOW__LIKE_FIND(s, i, end, block, text)                              \
    winnow__find_text((s), (i), (end), (block) + UINT64_C(8) * (text)->place,  \
                      (text)->bytes)
static inline uint64_t winnow__find_text(const unsigned char *s, uint64_t i,
                                         uint64_t end,
                                         const unsigned char *text,
                                         uint64_t bytes) {
    const unsigned char *const found =
        winnow__find(s + i, end - i, text, bytes);
    return found != NULL ? (uint64_t)(found - s) : WINNOW__LIKE_NONE;
}
#define WINNOW__LIKE_FIND_SEGMENT winnow__find_segment
#include "kernels/string/like.h"

static inline int winnow__order(const unsigned char *a, uint64_t bytes_a,
                                const unsigned char *b, uint64_t bytes_b) {
    const uint64_t least = bytes_a < bytes_b ? bytes_a : bytes_b;
    const bool is_long = least >= 8;
    const uint64_t x =
        is_long ? winnow__load_64(a) : winnow__load_few(a, least);
    const uint64_t y =
        is_long ? winnow__load_64(b) : winnow__load_few(b, least);
    if (x != y)
        return __builtin_bswap64(x) < __builtin_bswap64(y) ? -1 : 1;
    const int order = is_long ? memcmp(a + 8, b + 8, least - 8) : 0;
    if (order != 0)
        return order;
    return (bytes_a > bytes_b) - (bytes_a < bytes_b);
}

/* The first `most` bytes of a text (4 or 8), padded with zeros, as a number whose
 * order is that of the bytes. */
static inline uint64_t winnow__front_of(const winnow__pattern *pattern,
                                        unsigned most) {
    const uint32_t bytes = pattern->text.bytes;
    return __builtin_bswap64(
               winnow__load_few(winnow__pattern_bytes(pattern, &pattern->text),
                                bytes < most ? bytes : most)) >>
           (64 - 8 * most);
}

/* The caller passes a constant `kind`. */
static inline __attribute__((always_inline)) bool
winnow__matches(winnow__pattern_kind kind, const winnow__pattern *pattern,
                const unsigned char *s, uint64_t bytes) {
    const unsigned char *const text =
        winnow__pattern_bytes(pattern, &pattern->text);
    const uint64_t length = pattern->text.bytes;
    switch (kind) {
    case WINNOW__PATTERN_EQUAL:
        return bytes == length && winnow__same(s, text, length);
    case WINNOW__PATTERN_LESS:
        return winnow__order(s, bytes, text, length) < 0;
    case WINNOW__PATTERN_LESS_EQUAL:
        return winnow__order(s, bytes, text, length) <= 0;
    case WINNOW__PATTERN_STARTS:
        return bytes >= length && winnow__same(s, text, length);
    case WINNOW__PATTERN_ENDS:
        return bytes >= length &&
               winnow__same(s + (bytes - length), text, length);
    case WINNOW__PATTERN_CONTAINS:
        return winnow__find(s, bytes, text, length) != NULL;
    case WINNOW__PATTERN_LIKE:
        return winnow__is_like(s, bytes, pattern);
    default:
        return (bytes < 8 ||
                winnow__filter_has(pattern,
                                   winnow__filter_ends(pattern, s, bytes))) &&
               (pattern->lengths & winnow__string_length_bit(bytes)) != 0 &&
               winnow__list_has(s, bytes,
                                winnow__string_hash(pattern->seed, s, bytes),
                                pattern);
    }
}

#endif
