/*
 * Loops over columns of bits without special instructions.
 *
 * Every bit moves towards bit 0 by the number of mask bits below it that are 0:
 * first by 1, if that number is odd, then by 2, by 4 and so on (H. S. Warren,
 * Hacker's Delight, 2nd edition, 7-4). Depositing reverses these steps.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "bit_loops.h"

enum {
    STEPS = 6
};

/* In each step, the bits that move by 2^step; and the mask, after it has moved. */
static inline void find_moves(uint64_t mask, uint64_t moves[STEPS]) {
    uint64_t lacking = ~mask << 1; /* the place below each is not in the mask */
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

#define BLOCK 8

/* The same steps for several words at once, in the compiler's vectors. */
static inline void extract_block(uint64_t x[BLOCK],
                                 const uint64_t masks[BLOCK]) {
    uint64_t mask[BLOCK], lacking[BLOCK];
    for (unsigned i = 0; i < BLOCK; i++) {
        mask[i] = masks[i];
        lacking[i] = ~mask[i] << 1;
        x[i] &= mask[i];
    }
    for (unsigned step = 0; step < STEPS; step++)
        for (unsigned i = 0; i < BLOCK; i++) {
            uint64_t odd = lacking[i];
            odd ^= odd << 1;
            odd ^= odd << 2;
            odd ^= odd << 4;
            odd ^= odd << 8;
            odd ^= odd << 16;
            odd ^= odd << 32;
            const uint64_t moves = odd & mask[i], moved = x[i] & moves;
            mask[i] = (mask[i] ^ moves) | moves >> (1u << step);
            x[i] = (x[i] ^ moved) | moved >> (1u << step);
            lacking[i] &= ~odd;
        }
}

/* Counts bits without an instruction for it. */
static inline unsigned ones(uint64_t mask) {
    mask -= mask >> 1 & UINT64_C(0x5555555555555555);
    mask = (mask & UINT64_C(0x3333333333333333)) +
           (mask >> 2 & UINT64_C(0x3333333333333333));
    mask = (mask + (mask >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    return (unsigned)(mask * UINT64_C(0x0101010101010101) >> 56);
}

#include "bit_words.h"

const winnow__host_bit_loops winnow__host_bits_portable = {
    .name = "portable", .pack = pack, .spread = spread};
