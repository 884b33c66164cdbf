/*
 * The arguments that have to be equal on all ranks, in a word that ranks
 * exchange; and the error if a rank's word differs from that of rank 0.
 *
 *     bits 62 and 63: which call. Below them,
 *     winnow_nccl_reduce: type << 32 | wanted
 *     winnow_nccl_create: piece_bytes << 8 | way
 *     columns: their number << 55, and below it the element_bytes of up to four,
 *     each in 13 bits; for more columns a hash
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ranks.h"

enum {
    OF_RESULT,
    OF_OPTIONS,
    OF_COLUMNS,
    CALL_AT = 62,
    NUMBER_AT = 55,
    LISTED = 4,
    BITS = 13 /* an element has at most 4096 bytes */
};
_Static_assert(LISTED *BITS <= NUMBER_AT, "element_bytes fit below the number");

static uint64_t low_bits(uint64_t word, unsigned bits) {
    return word & ((UINT64_C(1) << bits) - 1);
}

uint64_t winnow__nccl_same_result(winnow_type type, unsigned wanted) {
    return (uint64_t)OF_RESULT << CALL_AT | (uint64_t)type << 32 | wanted;
}

uint64_t winnow__nccl_same_options(const winnow_nccl *nccl) {
    return (uint64_t)OF_OPTIONS << CALL_AT | nccl->piece_bytes << 8 |
           (uint64_t)nccl->way;
}

uint64_t winnow__nccl_same_columns(const winnow_move *moves, unsigned number) {
    uint64_t sizes = 0, hash = 0;
    for (unsigned c = 0; c < number; c++) {
        hash = winnow__ranks_mix(hash, moves[c].element_bytes);
        if (c < LISTED)
            sizes |= (uint64_t)moves[c].element_bytes << c * BITS;
    }
    return (uint64_t)OF_COLUMNS << CALL_AT | (uint64_t)number << NUMBER_AT |
           (number <= LISTED ? sizes : low_bits(hash, NUMBER_AT));
}

/* ----------------------------------------------------------------- what differs */

#define DIFFER "the ranks' arguments differ: "

static winnow_status say(const char *name, uint64_t first, uint64_t other,
                         uint64_t rank) {
    return winnow__ranks_refuse(
        DIFFER "%s is %llu on rank 0 and %llu on rank %llu", name,
        (unsigned long long)first, (unsigned long long)other,
        (unsigned long long)rank);
}

static winnow_status say_result(uint64_t first, uint64_t other, uint64_t rank) {
    if (first >> 32 == other >> 32)
        return winnow__ranks_refuse(
            DIFFER "wanted is 0x%x on rank 0 and 0x%x on rank %llu",
            (unsigned)first, (unsigned)other, (unsigned long long)rank);
    return winnow__ranks_refuse(
        DIFFER "type is %s on rank 0 and %s on rank %llu",
        winnow_type_name((winnow_type)(first >> 32)),
        winnow_type_name((winnow_type)(other >> 32)), (unsigned long long)rank);
}

static winnow_status say_columns(uint64_t first, uint64_t other,
                                 uint64_t rank) {
    const unsigned number =
        (unsigned)low_bits(first >> NUMBER_AT, CALL_AT - NUMBER_AT);
    const uint64_t another = low_bits(other >> NUMBER_AT, CALL_AT - NUMBER_AT);
    unsigned c = 0;
    if (number != another)
        return say("move_count", number, another, rank);
    if (number > LISTED)
        return winnow__ranks_refuse(
            DIFFER
            "element_bytes of moves on rank %llu are not those on rank 0",
            (unsigned long long)rank);
    while (c + 1 < number && low_bits(first >> c * BITS, BITS) ==
                                 low_bits(other >> c * BITS, BITS))
        c++;
    return winnow__ranks_refuse(
        DIFFER "moves[%u].element_bytes is %u on rank 0 and %u on rank %llu", c,
        (unsigned)low_bits(first >> c * BITS, BITS),
        (unsigned)low_bits(other >> c * BITS, BITS), (unsigned long long)rank);
}

winnow_status winnow__nccl_differ(uint64_t rank, const uint64_t same[2]) {
    const uint64_t first = same[0], other = same[1];
    if (first >> CALL_AT != other >> CALL_AT)
        return winnow__ranks_refuse("rank %llu is in another call than rank 0",
                                    (unsigned long long)rank);
    if (first >> CALL_AT == OF_COLUMNS)
        return say_columns(first, other, rank);
    if (first >> CALL_AT == OF_RESULT)
        return say_result(first, other, rank);
    return low_bits(first, 8) == low_bits(other, 8)
               ? say("piece_bytes", low_bits(first, CALL_AT) >> 8,
                     low_bits(other, CALL_AT) >> 8, rank)
               : say("way", low_bits(first, 8), low_bits(other, 8), rank);
}
