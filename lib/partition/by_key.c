/*
 * SPDX-License-Identifier: Apache-2.0
 */
#include "details.h"
#include "core/array.h"
#include "core/status.h"

enum {
    COLUMNS = WINNOW_PARTITION_MOST_COLUMNS,
    WIDEST = 16, /* bytes of an element */
    NO_MOVE = -1
};

static const winnow__partition *details(const winnow__query *query) {
    return query->details;
}

uint64_t winnow__partition_mask(const winnow__partition *partition) {
    return partition->bits == 0 || partition->bits >= 64
               ? UINT64_MAX
               : (UINT64_C(1) << partition->bits) - 1;
}

/* ----------------------------------------------------------------- checks */

static winnow_status take_digit(const winnow_digit *digit,
                                winnow__partition *p) {
    const unsigned width = 8 * (unsigned)winnow_type_size(p->key_type);
    WINNOW__TRY(winnow__need(digit, "digit"));
    if (digit->shift >= width || digit->bits > width - digit->shift)
        return winnow__refuse(
            "digit->shift is %u and digit->bits is %u: a key has %u bits",
            (unsigned)digit->shift, (unsigned)digit->bits, width);
    const unsigned bits = digit->bits != 0 ? digit->bits : width - digit->shift;
    const uint64_t parts =
        digit->parts != 0 || bits >= 64 ? digit->parts : UINT64_C(1) << bits;
    if (digit->parts == 0 && parts - 1 >= WINNOW_PARTITION_MOST_PARTS)
        return winnow__refuse("digit->parts is 0, which stands for 2^%u parts: "
                              "wanted at most %u; say how many digits occur",
                              bits, WINNOW_PARTITION_MOST_PARTS);
    if (parts < 2 || parts > WINNOW_PARTITION_MOST_PARTS)
        return winnow__refuse("digit->parts is %u: wanted 2 to %u, or 0 for "
                              "all that have the digit's bits",
                              (unsigned)digit->parts,
                              WINNOW_PARTITION_MOST_PARTS);
    p->shift = digit->shift;
    p->bits = digit->bits;
    p->parts = (uint32_t)parts;
    return WINNOW_OK;
}

static winnow_status check_elements(const winnow__partition *p) {
    if (p->move_count != 0 && p->moves == NULL)
        return winnow__refuse("moves is NULL");
    if (p->move_count > COLUMNS + 1)
        return winnow__refuse(
            "move_count is %u: wanted at most %d, and the keys", p->move_count,
            COLUMNS);
    for (unsigned i = 0; i < p->move_count; i++) {
        const winnow_move *const move = &p->moves[i];
        const size_t bytes = move->element_bytes;
        if (move->type == WINNOW_BIT)
            return winnow__unsupported(
                "moves[%u].type is bit: columns of bits are not partitioned",
                i);
        if (move->type != WINNOW_OPAQUE || move->in_offset != 0 ||
            move->out_offset != 0 || move->reserved[0] != 0 ||
            move->reserved[1] != 0)
            return winnow__refuse(
                "moves[%u]: wanted 0 for type, offsets and reserved", i);
        if (bytes == 0 || bytes > WIDEST || (bytes & (bytes - 1)) != 0)
            return winnow__refuse(
                "moves[%u].element_bytes is %zu: wanted 1, 2, 4, 8 or 16", i,
                bytes);
    }
    return WINNOW_OK;
}

/* The move of the keys, found by their address. Without addresses any move may
 * be it; one move is, if there are more moves than a call may have columns. */
static winnow_status find_keys(const winnow__partition *p, const void *d_keys,
                               int *move_p) {
    const size_t bytes = winnow_type_size(p->key_type);
    *move_p = NO_MOVE;
    for (unsigned i = 0; i < p->move_count; i++) {
        const winnow_move *const move = &p->moves[i];
        if (d_keys == NULL) {
            if (p->move_count > COLUMNS && move->element_bytes == bytes)
                *move_p = (int)i;
            continue;
        }
        if (move->d_in != d_keys)
            continue;
        if (*move_p != NO_MOVE || move->element_bytes != bytes)
            return winnow__refuse("moves[%u] moves the keys: wanted one move "
                                  "of them, with an element_bytes of %zu",
                                  i, bytes);
        *move_p = (int)i;
    }
    return WINNOW_OK;
}

static winnow_status take_moves(const void *d_keys, winnow__partition *p,
                                winnow__partition_memory *memory) {
    int keys = NO_MOVE;
    WINNOW__TRY(check_elements(p));
    WINNOW__TRY(find_keys(p, d_keys, &keys));
    if (p->move_count > COLUMNS && keys == NO_MOVE)
        return winnow__refuse(
            "move_count is %u: wanted at most %d, as none moves the keys",
            p->move_count, COLUMNS);
    for (unsigned i = 0; i < p->move_count; i++)
        if ((int)i == keys)
            memory->keys_out = p->moves[i].d_out;
        else
            p->columns[p->column_count++] = &p->moves[i];
    return WINNOW_OK;
}

winnow_status winnow__partition_take(const void *d_keys,
                                     const winnow_digit *digit,
                                     winnow__partition *partition,
                                     winnow__partition_memory *memory) {
    WINNOW__TRY(take_digit(digit, partition));
    return take_moves(d_keys, partition, memory);
}

/* Fail unless all memory of the call fits into the address space. */
winnow_status winnow__partition_check(winnow__query *query) {
    const uint64_t most = UINTPTR_MAX / (2 * WIDEST * (COLUMNS + 1));
    query->type = winnow__type(details(query)->key_type);
    if (query->n > most)
        return winnow__fail(
            WINNOW_ERR_ARGUMENT, "n is %llu: wanted at most %llu",
            (unsigned long long)query->n, (unsigned long long)most);
    return WINNOW_OK;
}

/* ----------------------------------------------------------------- ranges */

bool winnow__partition_numbers(const winnow__query *query,
                               const winnow_move *move) {
    return details(query)->blocks != NULL &&
           (move->element_bytes == 8 ||
            (move->element_bytes == 4 && query->n <= UINT64_C(1) << 32));
}

static winnow__range move_range(const winnow__call *call, unsigned i,
                                bool out) {
    const winnow__query *const query = &call->query;
    const winnow_move *const move = &details(query)->moves[i];
    const uint64_t elements = out ? winnow__blocks_places(query) : query->n;
    return (winnow__range){.name = "moves",
                           .number = i + 1,
                           .member = out ? "d_out" : "d_in",
                           .start = out ? move->d_out : move->d_in,
                           .bytes = elements * move->element_bytes,
                           .alignment = (unsigned)move->element_bytes,
                           .wanted =
                               query->n != 0 &&
                               (out || !winnow__partition_numbers(query, move)),
                           .measure = "n",
                           .written = out};
}

int winnow__partition_ranges(const winnow__call *call, winnow__range *list) {
    const winnow__partition *const p = details(&call->query);
    const winnow__partition_memory *const memory = call->memory;
    int number = 0;
    list[number] = winnow__input_range(call);
    list[number++].name = "keys->d_base";
    for (unsigned i = 0; i < p->move_count; i++) {
        list[number++] = move_range(call, i, false);
        list[number++] = move_range(call, i, true);
    }
    list[number] = winnow__result_range("d_offsets", memory->offsets,
                                        sizeof *memory->offsets);
    list[number].bytes = (p->parts + UINT64_C(1)) * sizeof *memory->offsets;
    list[number++].measure = "digit->parts";
    return number;
}

static const winnow__operation operation = {
    .name = "partition_by_key",
    .takes = WINNOW__TAKES_N,
    .predicate = WINNOW__NO_PREDICATE,
    .check = winnow__partition_check,
    .ranges = winnow__partition_ranges,
    .host_bytes = winnow__host_partition_bytes,
    .run_on_host = winnow__host_partition,
    .plan = WINNOW__IF_CUDA(winnow__cuda_partition_plan),
    .enqueue = WINNOW__IF_CUDA(winnow__cuda_partition_enqueue),
};

/* -------------------------------------------------------------------- API */

winnow_status winnow_partition_by_key(winnow_context *context,
                                      const winnow_in *keys, uint64_t n,
                                      const winnow_digit *digit,
                                      const winnow_move *moves,
                                      unsigned move_count, uint64_t *d_offsets,
                                      const winnow_launch *launch) {
    winnow__partition partition = {.key_type = keys != NULL ? keys->type
                                                            : WINNOW_OPAQUE,
                                   .moves = moves,
                                   .move_count = move_count};
    winnow__partition_memory memory = {.offsets = d_offsets};
    WINNOW__TRY(
        winnow__check_numbers((winnow__array_name){.name = "keys"}, keys));
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
