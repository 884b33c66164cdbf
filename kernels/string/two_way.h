/*
 * Finding a text in time that is linear in the bytes of both, whatever they are:
 * the two-way algorithm (Crochemore, Perrin, 1991), without memory. Plain C, for
 * both sides: who includes it defines what like.h wants.
 *
 * A text that is found by its first bytes is as quick as a rule, but may be
 * compared in vain at each place. So those bytes are counted, and where they are
 * WINNOW__FIND_PATIENCE and more than WINNOW__FIND_WORTH of each place that is
 * done, this goes on.
 *
 * No guard: as like.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef WINNOW__FIND_PATIENCE
#define WINNOW__FIND_PATIENCE 4096
#define WINNOW__FIND_WORTH 8
#endif

/* Where the greatest suffix begins, by the bytes' order or by the opposite one; and
 * its period. */
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

/* Where the text, of 1 byte and more, begins first, from i on and all before `end`;
 * WINNOW__LIKE_NONE. */
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
    const bool repeats = at == cut; /* all of the text has the period */
    if (!repeats)
        period = (cut > bytes - cut ? cut : bytes - cut) + 1;
    while (i <= end && end - i >= bytes) {
        /* What is behind the cut, then what is before it; `known` bytes are there
         * from the place before. */
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
