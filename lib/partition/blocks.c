/*
 * SPDX-License-Identifier: Apache-2.0
 */
#include "details.h"
#include "core/array.h"
#include "core/status.h"

#include <stddef.h>

static const winnow__partition *details(const winnow__query *query) {
    return query->details;
}

uint64_t winnow__blocks_places(const winnow__query *query) {
    const winnow__partition *const p = details(query);
    if (p->blocks == NULL)
        return query->n;
    const uint64_t begun = query->n < p->parts ? query->n : p->parts;
    const uint64_t align = p->blocks->align;
    return (query->n + begun * (align - 1)) / align * align;
}

/* ----------------------------------------------------------------- checks */

static winnow_status take_blocks(const winnow_blocks *given,
                                 winnow_blocks *blocks) {
    WINNOW__TRY(winnow__need(given, "blocks"));
    WINNOW__TRY(winnow__take_struct("blocks", "winnow_blocks",
                                    offsetof(winnow_blocks, reserved), given,
                                    blocks, sizeof *blocks));
    if (blocks->align == 0 || blocks->align > WINNOW_BLOCKS_MOST_ALIGN ||
        (blocks->align & (blocks->align - 1)) != 0)
        return winnow__refuse("blocks->align is %llu: wanted a power of two, "
                              "up to %u",
                              (unsigned long long)blocks->align,
                              WINNOW_BLOCKS_MOST_ALIGN);
    if (blocks->reserved[0] != 0 || blocks->reserved[1] != 0)
        return winnow__refuse("blocks->reserved is not 0");
    return WINNOW_OK;
}

/* Signed keys are read as unsigned. A negative key has the top bit set, and
 * must be beyond all parts. A shift beyond the key fails in the digit's check. */
static winnow_status take_sign(const winnow_in *keys,
                               const winnow_digit *digit) {
    const unsigned width = 8 * (unsigned)winnow_type_size(keys->type);
    const char *const type = winnow_type_name(keys->type);
    uint64_t most = WINNOW_PARTITION_MOST_PARTS;
    WINNOW__TRY(winnow__need(digit, "digit"));
    if (digit->bits != 0)
        return winnow__refuse("digit->bits is %u: wanted 0 for keys of %s, as "
                              "a negative one is in no part",
                              (unsigned)digit->bits, type);
    if (digit->shift >= width)
        return WINNOW_OK;
    if (digit->shift == width - 1)
        return winnow__refuse("digit->shift is %u: wanted at most %u for keys "
                              "of %s, of which the top bit is the sign",
                              (unsigned)digit->shift, width - 2, type);
    if (most >> (width - 1 - digit->shift) != 0)
        most = UINT64_C(1) << (width - 1 - digit->shift);
    if (digit->parts < 2 || digit->parts > most)
        return winnow__refuse("digit->parts is %u: wanted 2 to %llu for keys "
                              "of %s, as a negative one is in no part",
                              (unsigned)digit->parts, (unsigned long long)most,
                              type);
    return WINNOW_OK;
}

static winnow_status take_keys(const winnow_in *keys, const winnow_digit *digit,
                               winnow_type *type_p) {
    const winnow__array_name name = {.name = "keys"};
    WINNOW__TRY(winnow__check_in(name, keys));
    const bool is_wide =
        keys->type == WINNOW_UINT64 || keys->type == WINNOW_INT64;
    if (!is_wide && keys->type != WINNOW_UINT32 && keys->type != WINNOW_INT32)
        return winnow__refuse(
            "keys->type is %s: wanted int32, int64, uint32 or uint64",
            winnow_type_name(keys->type));
    *type_p = is_wide ? WINNOW_UINT64 : WINNOW_UINT32;
    WINNOW__TRY(winnow__check_dense(name, keys));
    return *type_p == keys->type ? WINNOW_OK : take_sign(keys, digit);
}

/* Plan mode has no addresses. */
static winnow_status check(winnow__query *query) {
    const winnow__partition *const p = details(query);
    WINNOW__TRY(winnow__partition_check(query));
    for (unsigned i = 0; i < p->move_count; i++)
        if (query->launch.plan == NULL && query->n != 0 &&
            p->moves[i].d_in == NULL &&
            !winnow__partition_numbers(query, &p->moves[i]))
            return winnow__refuse(
                "moves[%u].d_in is NULL, and element_bytes is %zu: the items' "
                "numbers have 8 bytes, or 4 where n is not above 2^32",
                i, p->moves[i].element_bytes);
    return WINNOW_OK;
}

static int ranges(const winnow__call *call, winnow__range *list) {
    const winnow__partition *const p = details(&call->query);
    const winnow_blocks *const blocks = p->blocks;
    int number = winnow__partition_ranges(call, list);
    list[number] = winnow__result_range("blocks->d_counts", blocks->d_counts,
                                        sizeof *blocks->d_counts);
    list[number].bytes = p->parts * sizeof *blocks->d_counts;
    list[number].wanted = false;
    list[number++].measure = "digit->parts";
    list[number] =
        winnow__result_range("blocks->d_block_parts", blocks->d_block_parts,
                             sizeof *blocks->d_block_parts);
    list[number].bytes = winnow__blocks_places(&call->query) / blocks->align *
                         sizeof *blocks->d_block_parts;
    list[number].wanted = false;
    list[number++].measure = "n";
    return number;
}

static const winnow__operation operation = {
    .name = "partition_blocks",
    .takes = WINNOW__TAKES_N,
    .predicate = WINNOW__NO_PREDICATE,
    .check = check,
    .ranges = ranges,
    .host_bytes = winnow__host_partition_bytes,
    .run_on_host = winnow__host_partition,
    .plan = WINNOW__IF_CUDA(winnow__cuda_blocks_plan),
    .enqueue = WINNOW__IF_CUDA(winnow__cuda_blocks_enqueue),
};

/* -------------------------------------------------------------------- API */

winnow_status winnow_partition_blocks(winnow_context *context,
                                      const winnow_in *keys, uint64_t n,
                                      const winnow_digit *digit,
                                      const winnow_blocks *blocks,
                                      const winnow_move *moves,
                                      unsigned move_count, uint64_t *d_offsets,
                                      const winnow_launch *launch) {
    winnow_blocks own = {.size = sizeof own};
    winnow__partition partition = {
        .blocks = &own, .moves = moves, .move_count = move_count};
    winnow__partition_memory memory = {.offsets = d_offsets};
    WINNOW__TRY(take_keys(keys, digit, &partition.key_type));
    WINNOW__TRY(take_blocks(blocks, &own));
    WINNOW__TRY(
        winnow__partition_take(keys->d_base, digit, &partition, &memory));
    winnow__call call = {.query = {.operation = &operation,
                                   .context = context,
                                   .n = n,
                                   .details = &partition},
                         .in = keys->d_base,
                         .memory = &memory};
    return winnow__do(&call, launch);
}
