/*
 * Loops over columns of bits without instructions for it.
 *
 * Every bit moves towards bit 0 by the number of places below it that the mask
 * lacks: first those by 1 whose number is odd, then those by 2, by 4 and so on
 * (H. S. Warren, Hacker's Delight, 2nd edition, 7-4). Back, the other way round.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "bit_loops.h"

enum {
    STEPS = 6
};

/* Which bits move by 2^step, in each step; and the mask, as it has moved. */
static inline void find_moves(uint64_t mask, uint64_t moves[STEPS]) {
    uint64_t lacking = ~mask << 1; /* a place below each is not in the mask */
    for (unsigned step = 0; step < STEPS; step++) {
        uint64_t odd = lacking;
        for (unsigned by = 1; by < 64; by *= 2)
            odd ^= odd << by;
        moves[step] = odd & mask;
        mask = (mask ^ moves[step]) | moves[step] >> (1u << step);
        lacking &= ~odd;
    }
}

static inline uint64_t extract(uint64_t x, uint64_t mask) {
    uint64_t moves[STEPS];
    if (mask == 0 || mask == UINT64_MAX)
        return x & mask;
    find_moves(mask, moves);
    x &= mask;
    for (unsigned step = 0; step < STEPS; step++) {
        const uint64_t moved = x & moves[step];
        x = (x ^ moved) | moved >> (1u << step);
    }
    return x;
}

static inline uint64_t deposit(uint64_t x, uint64_t mask) {
    uint64_t moves[STEPS];
    if (mask == 0 || mask == UINT64_MAX)
        return x & mask;
    find_moves(mask, moves);
    for (unsigned step = STEPS; step-- != 0;)
        x = (x & ~moves[step]) | (x << (1u << step) & moves[step]);
    return x & mask;
}

static inline unsigned ones(uint64_t mask) {
    return (unsigned)__builtin_popcountll(mask);
}

#include "bit_words.h"

const winnow__host_bit_loops winnow__host_bits_portable = {
    .name = "portable", .pack = pack, .spread = spread};
