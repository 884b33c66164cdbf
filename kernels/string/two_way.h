/*
 * Finds a text in time linear in the bytes of string and text, in the worst
 * case: the two-way algorithm (Crochemore, Perrin, 1991), without extra memory.
 * Plain C, for both sides; who includes it defines the macros of like.h.
 *
 * A search by the text's first bytes is usually as fast, but a comparison may
 * fail at each place. So the bytes of failed comparisons are counted. If they
 * exceed WINNOW__FIND_PATIENCE plus WINNOW__FIND_WORTH for each place searched,
 * this algorithm continues the search.
 *
 * No guard: as like.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef WINNOW__FIND_PATIENCE
#define WINNOW__FIND_PATIENCE 4096
#define WINNOW__FIND_WORTH 8
#endif

/* The begin and the period of the greatest suffix, in the order of the bytes or
 * in the opposite order. */
WINNOW__LIKE_FUNCTION uint64_t
winnow__greatest_suffix(const unsigned char *text, uint64_t bytes,
                        bool opposite, uint64_t *period_p) {
    uint64_t begin = 0, other = 1, same = 0, period = 1;
    while (other + same < bytes) {
        const unsigned char a = text[other + same], b = text[begin + same];
        if (a == b) {
            same++;
            if (same == period) {
                other += period;
                same = 0;
            }
        } else if ((a < b) != opposite) {
            other += same + 1;
            same = 0;
            period = other - begin;
        } else {
            begin = other++;
            same = 0;
            period = 1;
        }
    }
    *period_p = period;
    return begin;
}

/* Where the text, of at least 1 byte, first begins, from i on and ending by
 * `end`, or WINNOW__LIKE_NONE. */
WINNOW__LIKE_FUNCTION uint64_t winnow__two_way(WINNOW__LIKE_STRING s,
                                               uint64_t i, uint64_t end,
                                               const unsigned char *text,
                                               uint64_t bytes) {
    uint64_t period, other_period, at, known = 0;
    uint64_t cut = winnow__greatest_suffix(text, bytes, false, &period);
    const uint64_t other_cut =
        winnow__greatest_suffix(text, bytes, true, &other_period);
    if (other_cut > cut) {
        cut = other_cut;
        period = other_period;
    }
    for (at = 0; at < cut && text[at] == text[at + period];)
        at++;
    const bool repeats = at == cut; /* the whole text has the period */
    if (!repeats)
        period = (cut > bytes - cut ? cut : bytes - cut) + 1;
    while (i <= end && end - i >= bytes) {
        /* Compare the bytes after the cut, then those before it. The first
         * `known` bytes are known to be equal from the previous place. */
        for (at = cut > known ? cut : known;
             at < bytes && text[at] == WINNOW__LIKE_BYTE(s, i + at);)
            at++;
        if (at < bytes) {
            i += at - cut + 1;
            known = 0;
            continue;
        }
        for (at = cut;
             at > known && text[at - 1] == WINNOW__LIKE_BYTE(s, i + at - 1);)
            at--;
        if (at <= known)
            return i;
        i += period;
        known = repeats ? bytes - period : 0;
    }
    return WINNOW__LIKE_NONE;
}
