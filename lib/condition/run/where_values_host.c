/*
 * Expressions on the host: a block of values is computed when a leaf needs one
 * of its items, and tested while it is in a cache.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "where_values.h"

#include "core/round.h"

#include <string.h>

_Static_assert(WINNOW__SELECTION_TILE % WINNOW__BLOCK == 0,
               "a block is inside of a tile");

enum {
    FEW = 8 /* tests; if there are more, values become INT64 */
};

static unsigned log2_size_of(const winnow__expression *expression) {
    switch (expression->host.narrow_kind) {
    case WINNOW__OF_INT16:
        return 1;
    case WINNOW__OF_INT32:
    case WINNOW__OF_FLOAT32:
        return 2;
    default:
        return 3;
    }
}

/* -------------------------------------------------------------------- memory */

static size_t value_bytes(const winnow__expression *expression,
                          unsigned items) {
    return expression->host.narrow_kind == WINNOW__OF_BOOL
               ? items / 8
               : (size_t)items << log2_size_of(expression);
}

static size_t larger(size_t a, size_t b) {
    return a > b ? a : b;
}

winnow__values_room winnow__values_room_of(const winnow__where *where,
                                           uint64_t n) {
    const unsigned items =
        n < WINNOW__SELECTION_TILE ? (unsigned)n : WINNOW__SELECTION_TILE;
    const unsigned block = items < WINNOW__BLOCK ? items : WINNOW__BLOCK;
    const unsigned whole = (unsigned)winnow__round_up(items, 32);
    const winnow__tested *const tested = &where->condition->tested;
    winnow__values_room room = {0};
    for (unsigned i = 0; i < tested->number; i++) {
        const winnow__expression *const expression = tested->expression[i];
        if (expression == NULL)
            continue;
        if (room.kept < WINNOW__KEPT_VALUES)
            room.kept++;
        room.value = larger(room.value, value_bytes(expression, whole));
        room.registers =
            larger(room.registers, winnow__evaluate_bytes(expression, block));
    }
    if (room.kept == 0)
        return room;
    room.value = winnow__round_up(room.value, 64);
    room.bits = winnow__round_up(whole / 8, 64);
    room.wide = winnow__round_up(block * sizeof(int64_t), 64);
    room.live = WINNOW__LIVE_SETS * WINNOW__SELECTION_TILE / 8;
    room.all = room.kept * (room.value + room.bits) + room.wide +
               room.registers + room.live;
    return room;
}

void winnow__no_values(const winnow__values_room *room, unsigned char *memory,
                       winnow__tile_values *tile) {
    tile->number = room->kept;
    tile->next = 0;
    for (unsigned i = 0; i < room->kept; i++) {
        unsigned char *const value = memory + i * (room->value + room->bits);
        tile->kept[i] = (winnow__kept_values){
            .tested = WINNOW_CONDITION_MOST_COLUMNS,
            .value = value,
            .valid = (uint32_t *)(void *)(value + room->value)};
    }
    memory += room->kept * (room->value + room->bits);
    tile->wide = (int64_t *)(void *)memory;
    tile->registers = memory + room->wide;
}

/* -------------------------------------------------------------------- values */

static winnow__kept_values *values_of(winnow__tile_values *tile,
                                      unsigned tested) {
    for (unsigned i = 0; i < tile->number; i++)
        if (tile->kept[i].tested == tested)
            return &tile->kept[i];
    winnow__kept_values *const kept = &tile->kept[tile->next++ % tile->number];
    kept->tested = tested;
    kept->blocks = 0;
    return kept;
}

static void *values_at(winnow__kept_values *kept,
                       const winnow__expression *expression, unsigned first) {
    if (expression->host.narrow_kind == WINNOW__OF_BOOL)
        return (uint32_t *)kept->value + first / 32;
    return (unsigned char *)kept->value +
           ((size_t)first << log2_size_of(expression));
}

/* Compute the values of the block that begins at this item of a tile. */
static void compute(const winnow__host_loops *loops,
                    const winnow__where_values *values,
                    const winnow__span *span, unsigned first, void *registers,
                    winnow__kept_values *kept) {
    const winnow__expression *const expression =
        values->tested->expression[kept->tested];
    const uint32_t bit = UINT32_C(1) << first / WINNOW__BLOCK;
    const uint64_t from =
        span->first / WINNOW__SELECTION_TILE * WINNOW__SELECTION_TILE + first;
    const uint64_t left = span->all - from;
    winnow__value_column columns[WINNOW__MOST_READ];
    if ((kept->blocks & bit) != 0)
        return;
    kept->blocks |= bit;
    winnow__columns_of_values(values, expression, columns);
    winnow__evaluate(loops->isa, expression, expression->host.narrow_steps,
                     columns, from,
                     left < WINNOW__BLOCK ? (unsigned)left : WINNOW__BLOCK,
                     registers, values_at(kept, expression, first),
                     winnow__values_nullable(&expression->program, columns)
                         ? kept->valid + first / 32
                         : NULL);
}

/* --------------------------------------------------------------------- tests */

/* A leaf's tests, for values of this width. wide: unchanged, for INT64. */
typedef struct few_tests {
    bool wide;
    unsigned number;
    winnow__test test[FEW];
} few_tests;

/* Cut a test of INT64 to the values from `least` to `most`: its interval, or
 * what it excludes. */
static void narrow(const winnow__test *wide, int64_t least, int64_t most,
                   few_tests *to) {
    const int64_t low = (int64_t)wide->low;
    const int64_t high = (int64_t)(wide->low + wide->span);
    winnow__test made = {.mask = UINT64_MAX};
    if (low <= high) {
        const int64_t first = low < least ? least : low;
        const int64_t last = high > most ? most : high;
        if (first > last)
            return;
        made.low = (uint64_t)first;
        made.span = (uint64_t)last - (uint64_t)first;
    } else { /* all but the values between high and low */
        const int64_t first = high + 1 < least ? least : high + 1;
        const int64_t last = low - 1 > most ? most : low - 1;
        const uint64_t all = (uint64_t)most - (uint64_t)least;
        const uint64_t lacks =
            first > last ? 0 : (uint64_t)last - (uint64_t)first + 1;
        if (lacks == all + 1)
            return;
        made.low = lacks == 0 ? (uint64_t)least : (uint64_t)last + 1;
        made.span = all - lacks;
    }
    to->test[to->number++] = made;
}

static void narrow_tests(const winnow__bound *bound,
                         const winnow__where_leaf *leaf, unsigned log2_size,
                         few_tests *to) {
    const winnow__test *const tests = &bound->program.test[leaf->first];
    const int64_t most = (INT64_C(1) << ((8u << log2_size) - 1)) - 1;
    to->number = 0;
    to->wide = leaf->tests == 0 || leaf->tests > FEW;
    for (unsigned t = 0; !to->wide && t < leaf->tests; t++) {
        to->wide = tests[t].mask != UINT64_MAX || tests[t].flip != 0;
        if (!to->wide)
            narrow(&tests[t], -most - 1, most, to);
    }
}

/* Test items of one block, numbered in their tile. */
static void test_block(const winnow__host_loops *loops,
                       const winnow__bound *bound,
                       const winnow__where_leaf *leaf, const few_tests *few,
                       winnow__kept_values *kept, int64_t *wide,
                       const winnow__span *part, const uint32_t *wanted,
                       uint32_t *words) {
    const winnow__expression *const expression =
        bound->values.tested->expression[kept->tested];
    const unsigned log2_size = log2_size_of(expression);
    const void *const values = values_at(kept, expression, 0);
    const unsigned first = (unsigned)part->first;
    const winnow__question asked =
        few->wide ? winnow__question_of(bound, leaf)
                  : (winnow__question){.tests = few->test, few->number};
    const bool widens =
        few->wide && expression->host.steps != expression->host.narrow_steps;
    if (widens) {
        const winnow__span same = {.items = part->items, .all = part->items};
        winnow__widen(loops->isa, expression,
                      values_at(kept, expression, first), part->items, wide);
        const winnow__where_column column =
            winnow__elements(wide, sizeof wide[0], 3);
        winnow__ask_elements(loops, &column, &asked, &same, wanted, words);
    } else {
        const winnow__where_column column =
            winnow__elements(values, UINT64_C(1) << log2_size, log2_size);
        winnow__ask_elements(loops, &column, &asked, part, wanted, words);
    }
}

void winnow__test_values(const winnow__host_loops *loops,
                         const winnow__bound *bound,
                         const winnow__where_leaf *leaf,
                         const winnow__span *span, const uint32_t *wanted,
                         winnow__tile_values *tile, uint32_t *words) {
    const winnow__where_column *const column =
        &bound->program.columns[leaf->column];
    const unsigned begin = (unsigned)(span->first % WINNOW__SELECTION_TILE);
    const unsigned end = begin + span->items;
    const winnow__expression *const expression =
        bound->values.tested->expression[column->tested];
    const bool is_bool = expression->host.narrow_kind == WINNOW__OF_BOOL;
    winnow__kept_values *const kept = values_of(tile, column->tested);
    few_tests few = {.wide = true};
    if (!is_bool && !column->is_validity &&
        expression->host.steps != expression->host.narrow_steps)
        narrow_tests(bound, leaf, log2_size_of(expression), &few);
    for (unsigned first = begin; first < end;) {
        const unsigned block = first / WINNOW__BLOCK * WINNOW__BLOCK;
        const unsigned last =
            end < block + WINNOW__BLOCK ? end : block + WINNOW__BLOCK;
        const unsigned done = (first - begin) / 32;
        const winnow__span inside = {
            .first = first, .items = last - first, .all = last};
        const size_t bytes = (last - first + 31) / 32 * sizeof words[0];
        compute(loops, &bound->values, span, block, tile->registers, kept);
        if (column->is_validity)
            memcpy(words + done, kept->valid + first / 32, bytes);
        else if (is_bool)
            memcpy(words + done, (const uint32_t *)kept->value + first / 32,
                   bytes);
        else
            test_block(loops, bound, leaf, &few, kept, tile->wide, &inside,
                       wanted == NULL ? NULL : wanted + done, words + done);
        first = last;
    }
}
