/*
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ranks.h"

#include <stdbool.h>

enum {
    MOST_COLUMNS = WINNOW__RANKS_MOST_COLUMNS,
    MOST_BYTES = 4096 /* most bytes of an element */
};

static winnow_status check_column(const winnow_move *move, unsigned c) {
    if (move->type != WINNOW_OPAQUE)
        return winnow__ranks_fail(WINNOW_ERR_UNSUPPORTED,
                                  "moves[%u].type is %s: wanted WINNOW_OPAQUE, "
                                  "with an element_bytes",
                                  c, winnow_type_name(move->type));
    if (move->element_bytes == 0 || move->element_bytes > MOST_BYTES)
        return winnow__ranks_refuse(
            "moves[%u].element_bytes is %zu: wanted 1 to %d", c,
            move->element_bytes, MOST_BYTES);
    if (move->in_offset != 0 || move->out_offset != 0 ||
        move->reserved[0] != 0 || move->reserved[1] != 0)
        return winnow__ranks_refuse(
            "moves[%u] has an offset, or reserved is not 0", c);
    return WINNOW_OK;
}

winnow_status winnow__ranks_check_columns(const winnow_move *moves,
                                          unsigned number) {
    if (number == 0 || number > MOST_COLUMNS)
        return winnow__ranks_refuse("move_count is %u: wanted 1 to %d columns",
                                    number, MOST_COLUMNS);
    WINNOW__TRY(winnow__ranks_need(moves, "moves"));
    for (unsigned c = 0; c < number; c++)
        WINNOW__TRY(check_column(&moves[c], c));
    return WINNOW_OK;
}

typedef struct range {
    uintptr_t start;
    uint64_t bytes;
} range;

/* The memory of a column's output if `written`, else of its input. */
static range range_of(const winnow_move *move, bool written, uint64_t number) {
    return (range){(uintptr_t)(written ? move->d_out : move->d_in),
                   number * move->element_bytes};
}

static winnow_status check_range(const winnow_move *move, unsigned c,
                                 bool written, uint64_t number) {
    const range r = range_of(move, written, number);
    const char *const name = written ? "d_out" : "d_in";
    if (number == 0)
        return WINNOW_OK;
    if (r.start == 0)
        return winnow__ranks_refuse("moves[%u].%s is NULL", c, name);
    if (number > (UINTPTR_MAX - r.start) / move->element_bytes)
        return winnow__ranks_refuse(
            "moves[%u].%s and %llu elements of %zu bytes run past the end of "
            "the address space",
            c, name, (unsigned long long)number, move->element_bytes);
    return WINNOW_OK;
}

static bool overlap(range a, range b) {
    return a.bytes != 0 && b.bytes != 0 && a.start < b.start + b.bytes &&
           b.start < a.start + a.bytes;
}

/* An output must not overlap any other array. */
static winnow_status check_apart(const winnow_move *moves, unsigned number,
                                 unsigned c, uint64_t sent, uint64_t received) {
    const range out = range_of(&moves[c], true, received);
    for (unsigned i = 0; i < number; i++) {
        if (overlap(out, range_of(&moves[i], false, sent)))
            return winnow__ranks_refuse(
                "moves[%u].d_out and moves[%u].d_in overlap", c, i);
        if (i != c && overlap(out, range_of(&moves[i], true, received)))
            return winnow__ranks_refuse(
                "moves[%u].d_out and moves[%u].d_out overlap", c, i);
    }
    return WINNOW_OK;
}

winnow_status winnow__ranks_check_memory(const winnow_move *moves,
                                         unsigned number, uint64_t sent,
                                         uint64_t received) {
    for (unsigned c = 0; c < number; c++) {
        WINNOW__TRY(check_range(&moves[c], c, false, sent));
        WINNOW__TRY(check_range(&moves[c], c, true, received));
    }
    for (unsigned c = 0; c < number; c++)
        WINNOW__TRY(check_apart(moves, number, c, sent, received));
    return WINNOW_OK;
}
