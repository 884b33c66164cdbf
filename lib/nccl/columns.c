/*
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ranks.h"

enum {
    MOST_COLUMNS = 64,
    MOST_BYTES = 4096 /* of an element */
};

static winnow_status check_column(const winnow_move *move, unsigned c,
                                  uint64_t capacity) {
    if (move->type != WINNOW_OPAQUE)
        return winnow__nccl_fail(WINNOW_ERR_UNSUPPORTED,
                                 "moves[%u].type is %s: wanted WINNOW_OPAQUE, "
                                 "with an element_bytes",
                                 c, winnow_type_name(move->type));
    if (move->element_bytes == 0 || move->element_bytes > MOST_BYTES)
        return winnow__nccl_fail(WINNOW_ERR_ARGUMENT,
                                 "moves[%u].element_bytes is %zu: wanted 1 to "
                                 "%d",
                                 c, move->element_bytes, MOST_BYTES);
    if (move->in_offset != 0 || move->out_offset != 0 ||
        move->reserved[0] != 0 || move->reserved[1] != 0)
        return winnow__nccl_fail(WINNOW_ERR_ARGUMENT,
                                 "moves[%u] has an offset, or reserved is not "
                                 "0",
                                 c);
    if (move->d_out == NULL && capacity != 0)
        return winnow__nccl_fail(WINNOW_ERR_ARGUMENT,
                                 "moves[%u].d_out is NULL, and capacity %llu",
                                 c, (unsigned long long)capacity);
    if (capacity > (UINTPTR_MAX - (uintptr_t)move->d_out) / move->element_bytes)
        return winnow__nccl_fail(WINNOW_ERR_ARGUMENT,
                                 "moves[%u].d_out and %llu elements of %zu "
                                 "bytes run past the end of the address space",
                                 c, (unsigned long long)capacity,
                                 move->element_bytes);
    return WINNOW_OK;
}

static uintptr_t end_of(const winnow_move *move, uint64_t capacity) {
    return (uintptr_t)move->d_out + capacity * move->element_bytes;
}

static winnow_status check_apart(const winnow_move *moves, unsigned a,
                                 unsigned b, uint64_t capacity) {
    if ((uintptr_t)moves[a].d_out < end_of(&moves[b], capacity) &&
        (uintptr_t)moves[b].d_out < end_of(&moves[a], capacity))
        return winnow__nccl_fail(WINNOW_ERR_ARGUMENT,
                                 "moves[%u].d_out and moves[%u].d_out overlap",
                                 a, b);
    return WINNOW_OK;
}

/* Elements of the input before the output begins, or the address space ends. */
static uint64_t most_before(const winnow_move *in, const winnow_move *out,
                            uint64_t capacity) {
    const uintptr_t start = (uintptr_t)in->d_in;
    uintptr_t end = UINTPTR_MAX;
    if (start == 0)
        return 0;
    if (capacity != 0 && start < end_of(out, capacity))
        end = (uintptr_t)out->d_out;
    return end > start ? (end - start) / in->element_bytes : 0;
}

winnow_status winnow__nccl_check_columns(const winnow_move *moves,
                                         unsigned number, uint64_t capacity,
                                         uint64_t *most_p) {
    if (number == 0 || number > MOST_COLUMNS)
        return winnow__nccl_fail(WINNOW_ERR_ARGUMENT,
                                 "move_count is %u: wanted 1 to %d columns",
                                 number, MOST_COLUMNS);
    if (moves == NULL)
        return winnow__nccl_fail(WINNOW_ERR_ARGUMENT, "moves is NULL");
    winnow_status status = WINNOW_OK;
    for (unsigned c = 0; c < number && status == WINNOW_OK; c++)
        status = check_column(&moves[c], c, capacity);
    for (unsigned c = 1; c < number; c++)
        for (unsigned i = 0; i < c && status == WINNOW_OK; i++)
            status = check_apart(moves, c, i, capacity);
    if (status != WINNOW_OK)
        return status;
    *most_p = UINT64_MAX;
    for (unsigned c = 0; c < number; c++)
        for (unsigned i = 0; i < number; i++) {
            const uint64_t most = most_before(&moves[c], &moves[i], capacity);
            if (most < *most_p)
                *most_p = most;
        }
    return WINNOW_OK;
}
