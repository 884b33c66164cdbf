/*
 * Expressions on the host.
 *
 * A register is a buffer of a block's values. If operations can take a column's
 * elements directly, it points to them.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "evaluate.h"
#include "core/round.h"
#include "kernels/string/column.h"
#include "kernels/string/index.h"
#include "string/compare.h"

#include <string.h>

enum {
    VALUE_BYTES = 8 /* at most */
};

/* Each operation writes to the spare buffer, which then becomes its register's.
 * So no operation overwrites what it reads. */
typedef struct work {
    const winnow__value_loops *loops;
    const winnow__value_program *program;
    const winnow__value_column *columns;
    uint64_t first;
    unsigned items;
    const void *value[WINNOW__MOST_REGISTERS];
    unsigned char *own[WINNOW__MOST_REGISTERS], *spare;
    uint8_t *nulls;
} work;

_Static_assert(WINNOW__MOST_EVALUATE_BYTES ==
                   (WINNOW__MOST_REGISTERS + 1) * WINNOW__BLOCK * VALUE_BYTES +
                       WINNOW__BLOCK,
               "so much are all buffers, and what is null");

/* Bytes of a buffer with a flag for each of `items` items, rounded up to 64. */
static size_t nulls_bytes(unsigned items) {
    return winnow__round_up(items, 64);
}

static size_t buffer_bytes(unsigned items) {
    return VALUE_BYTES * nulls_bytes(items);
}

size_t winnow__evaluate_bytes(const winnow__expression *expression,
                              unsigned items) {
    return (expression->program.registers + 1u) * buffer_bytes(items) +
           nulls_bytes(items);
}

/* Lay out a call's memory: the buffers, and the flags of nulls. */
static void place(work *w, unsigned char *memory) {
    const unsigned registers = w->program->registers;
    const size_t bytes = buffer_bytes(w->items);
    for (unsigned r = 0; r < registers; r++)
        w->own[r] = memory + r * bytes;
    w->spare = memory + registers * bytes;
    w->nulls = w->spare + bytes;
}

static const winnow__value_loops *loops_of(winnow__host_isa isa) {
    switch (isa) {
#ifdef WINNOW_X86
    case WINNOW__HOST_AVX2:
        return &winnow__value_loops_avx2;
    case WINNOW__HOST_AVX512:
        return &winnow__value_loops_avx512;
#endif
    default:
        return &winnow__value_loops_portable;
    }
}

/* --------------------------------------------------------------------- bits */

/* Read `items` bits, from one on. The last word may have any other bits. */
static void read_bits(const unsigned char *start, uint64_t first,
                      unsigned items, uint32_t *words) {
    const unsigned char *const byte = start + first / 8;
    const unsigned skip = first % 8;
    const unsigned bytes = (skip + items + 7) / 8;
    for (unsigned w = 0; 32 * w < items; w++) {
        uint64_t near = 0;
        const unsigned left = bytes - 4 * w;
        if (left >= sizeof near) /* little-endian */
            memcpy(&near, byte + 4 * w, sizeof near);
        else
            memcpy(&near, byte + 4 * w, left < 5 ? left : 5);
        words[w] = (uint32_t)(near >> skip);
    }
}

static uint64_t bits_from(const work *w, unsigned skip) {
    return skip + w->first;
}

/* -------------------------------------------------------------------- loads */

static const unsigned char *element_of(const work *w,
                                       const winnow__value_column *column) {
    return (const unsigned char *)((uintptr_t)column->first +
                                   w->first * column->stride);
}

/* Can the values be read directly from the column? */
static bool lie_ready(const winnow__value_column *column, unsigned code,
                      const unsigned char *first) {
#define BYTES(NAME, C, RESULT) [WINNOW__##NAME] = sizeof(C),
    static const uint8_t bytes[WINNOW__LOAD_BIT] = {WINNOW__LOADS(BYTES)};
#undef BYTES
    return bytes[code] != 0 && column->stride == bytes[code] &&
           (uintptr_t)first % bytes[code] == 0;
}

static void load_indexed(work *w, const winnow__value_column *column,
                         int64_t *to) {
    const unsigned char *const first = element_of(w, column);
    for (unsigned i = 0; i < w->items; i++) {
        const uint64_t index = winnow__load_index(
            (const unsigned char *)((uintptr_t)first + i * column->stride),
            column->index_log2_size, column->index_is_signed);
        const uint64_t length = index < column->size
                                    ? ((const uint64_t *)column->data)[index]
                                    : WINNOW__VALUE_NO_LENGTH;
        to[i] = (int64_t)length;
        w->nulls[i] |= length == WINNOW__VALUE_NO_LENGTH;
    }
}

static void load_lengths(work *w, const winnow__value_column *column,
                         int64_t *to) {
    const winnow__string_column strings = {.strings = column->first,
                                           .data = column->data,
                                           .size = column->size,
                                           .layout = column->access -
                                                     WINNOW__VALUE_OFFSETS_32};
    if (column->access == WINNOW__VALUE_INDICES) {
        load_indexed(w, column, to);
        return;
    }
    for (unsigned i = 0; i < w->items; i++)
        to[i] = (int64_t)winnow__string_at(&strings, w->first + i).bytes;
}

/* --------------------------------------------------------------------- steps */

static bool load(work *w, const winnow__host_step *step, void *to,
                 bool is_last) {
    const winnow__value_column *const column = &w->columns[step->a];
    if (step->code == WINNOW__LOAD_BIT) {
        read_bits(column->first, bits_from(w, column->skip), w->items, to);
        return true;
    }
    if (step->code == WINNOW__LOAD_LENGTH) {
        load_lengths(w, column, to);
        return true;
    }
    const unsigned char *const first = element_of(w, column);
    if (!is_last && lie_ready(column, step->code, first)) {
        w->value[step->to] = first;
        return false;
    }
    w->loops->load[step->code](to, first, column->stride, w->items);
    return true;
}

static const void *operand_of(const work *w, uint8_t operand) {
    return (operand & WINNOW__CONSTANT_OPERAND) == 0
               ? w->value[operand]
               : &w->program->constant[operand & ~WINNOW__CONSTANT_OPERAND];
}

static void take_step(work *w, const winnow__host_step *step, void *values,
                      bool is_last) {
    void *const to = is_last ? values : w->spare;
    if (winnow__is_load(step->code)) {
        if (!load(w, step, to, is_last))
            return;
    } else {
        const unsigned constants =
            ((step->a & WINNOW__CONSTANT_OPERAND) != 0 ? WINNOW__LOOP_A_CONSTANT
                                                       : 0) |
            ((step->b & WINNOW__CONSTANT_OPERAND) != 0 ? WINNOW__LOOP_B_CONSTANT
                                                       : 0);
        w->loops->operation[step->code](to, operand_of(w, step->a),
                                        operand_of(w, step->b), constants,
                                        w->nulls, w->items);
    }
    if (is_last)
        return;
    w->spare = w->own[step->to];
    w->own[step->to] = to;
    w->value[step->to] = to;
}

/* ------------------------------------------------------------------ strings */

winnow__compared_strings
winnow__compared_of(const winnow__expression *expression,
                    const winnow__value_column columns[], unsigned number) {
    const winnow__value_column *const column = &columns[number];
    const bool is_dictionary = column->access == WINNOW__VALUE_INDICES;
    const winnow__value_column *const strings =
        is_dictionary ? &columns[expression->columns + number] : column;
    winnow__compared_strings made = {
        .strings = {.strings = strings->first,
                    .data = strings->data,
                    .size = strings->size,
                    .layout = strings->access - WINNOW__VALUE_OFFSETS_32},
        .valid = column->valid,
        .valid_offset = column->valid_skip};
    if (is_dictionary) {
        made.first = column->first;
        made.stride = column->stride;
        made.log2_size = column->index_log2_size;
        made.is_signed = column->index_is_signed;
        made.values_n = column->size;
        made.values_valid = strings->valid;
        made.values_valid_offset = strings->valid_skip;
    }
    return made;
}

/* Write words of bits. nulls[i] becomes 1 if item i's index is not in its
 * dictionary. */
static void compare_strings(const winnow__expression *expression, const work *w,
                            void *words) {
    const winnow__compared_strings a =
        winnow__compared_of(expression, w->columns, 0);
    const winnow__compared_strings b =
        winnow__compared_of(expression, w->columns, expression->columns - 1);
    winnow__compare_strings(&a, &b, (winnow_compare)expression->compare,
                            w->first, w->items, words, w->nulls);
}

/* ------------------------------------------------------------------- nulls */

bool winnow__values_make_nulls(const winnow__value_program *program,
                               const winnow__value_column columns[]) {
    if (program->makes_nulls)
        return true;
    for (unsigned c = 0; c < program->columns; c++)
        if (columns[c].access == WINNOW__VALUE_INDICES)
            return true;
    return false;
}

bool winnow__values_nullable(const winnow__value_program *program,
                             const winnow__value_column columns[]) {
    for (unsigned c = 0; c < program->columns; c++)
        if (columns[c].valid != NULL)
            return true;
    return winnow__values_make_nulls(program, columns);
}

static void find_valid(const work *w, bool some_made, uint32_t *valid) {
    uint32_t words[WINNOW__BLOCK / 32];
    const unsigned number = (w->items + 31) / 32;
    memset(valid, 0xff, number * sizeof valid[0]);
    for (unsigned c = 0; c < w->program->columns; c++) {
        const winnow__value_column *const column = &w->columns[c];
        if (column->valid == NULL)
            continue;
        read_bits(column->valid, bits_from(w, column->valid_skip), w->items,
                  words);
        for (unsigned i = 0; i < number; i++)
            valid[i] &= words[i];
    }
    if (!some_made)
        return;
    w->loops->pack(w->nulls, w->items, words);
    for (unsigned i = 0; i < number; i++)
        valid[i] &= ~words[i];
}

void winnow__evaluate(winnow__host_isa isa,
                      const winnow__expression *expression, unsigned steps,
                      const winnow__value_column columns[], uint64_t first,
                      unsigned items, void *memory, void *values,
                      uint32_t *valid) {
    work w;
    const winnow__value_program *const program = &expression->program;
    const bool some_made = winnow__values_make_nulls(program, columns);
    w.loops = loops_of(isa);
    w.program = program;
    w.columns = columns;
    w.first = first;
    w.items = items;
    place(&w, memory);
    if (some_made)
        memset(w.nulls, 0, nulls_bytes(items));
    if (expression->compares_strings)
        compare_strings(expression, &w, values);
    for (unsigned s = 0; s < steps; s++)
        take_step(&w, &expression->host.step[s], values, s + 1 == steps);
    if (valid != NULL)
        find_valid(&w, some_made, valid);
}

void winnow__widen(winnow__host_isa isa, const winnow__expression *expression,
                   const void *narrow, unsigned items, int64_t *values) {
    const winnow__host_step *const last =
        &expression->host.step[expression->host.steps - 1];
    loops_of(isa)->operation[last->code](values, narrow, narrow, 0, NULL,
                                         items);
}
