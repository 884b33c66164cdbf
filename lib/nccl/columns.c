/*
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ranks.h"

/* Elements of the input before the output begins, or the address space ends. */
static uint64_t most_before(const winnow_move *in, const winnow_move *out,
                            uint64_t capacity) {
    const uintptr_t start = (uintptr_t)in->d_in;
    uintptr_t end = UINTPTR_MAX;
    if (start == 0)
        return 0;
    if (capacity != 0 &&
        start < (uintptr_t)out->d_out + capacity * out->element_bytes)
        end = (uintptr_t)out->d_out;
    return end > start ? (end - start) / in->element_bytes : 0;
}

winnow_status winnow__nccl_check_columns(const winnow_move *moves,
                                         unsigned number, uint64_t capacity,
                                         uint64_t *most_p) {
    WINNOW__TRY(winnow__ranks_check_columns(moves, number));
    WINNOW__TRY(winnow__ranks_check_memory(moves, number, 0, capacity));
    *most_p = UINT64_MAX;
    for (unsigned c = 0; c < number; c++)
        for (unsigned i = 0; i < number; i++) {
            const uint64_t most = most_before(&moves[c], &moves[i], capacity);
            if (most < *most_p)
                *most_p = most;
        }
    return WINNOW_OK;
}
