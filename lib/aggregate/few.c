/*
 * SPDX-License-Identifier: Apache-2.0
 */
#include "details.h"

#include <string.h>

enum {
    FEW = WINNOW__FEW_ITEMS,
    WORDS = WINNOW__BLOCK / 32,
    MOST_BYTES = 16 /* of an element */
};

typedef struct places {
    unsigned number;
    uint16_t at[FEW]; /* places in the block, in ascending order */
} places;

bool winnow__can_gather(const winnow__expression *expression,
                        const winnow__value_column columns[]) {
    for (unsigned c = 0; c < expression->columns; c++)
        if (columns[c].access > WINNOW__VALUE_BYTES)
            return false;
    return true;
}

/* ------------------------------------------------------------------- places */

static void find_places(const uint32_t live[], places *of) {
    of->number = 0;
    for (unsigned w = 0; w < WORDS; w++)
        for (uint32_t word = live[w]; word != 0; word &= word - 1)
            of->at[of->number++] =
                (uint16_t)(32 * w + (unsigned)__builtin_ctz(word));
}

static void drop(uint32_t live[], unsigned place) {
    live[place / 32] &= ~(UINT32_C(1) << place % 32);
}

/* Remove the places whose element is null. */
static void drop_nulls(const winnow__value_column *column, uint64_t first,
                       uint32_t live[], places *of) {
    unsigned left = 0;
    for (unsigned i = 0; i < of->number; i++) {
        const uint64_t bit = column->valid_skip + first + of->at[i];
        if ((column->valid[bit / 8] >> bit % 8 & 1) != 0)
            of->at[left++] = of->at[i];
        else
            drop(live, of->at[i]);
    }
    of->number = left;
}

/* ----------------------------------------------------------------- elements */

static inline __attribute__((always_inline)) void
gather(const winnow__value_column *column, uint64_t first, const places *of,
       size_t bytes, unsigned char *to) {
    const uintptr_t from = (uintptr_t)column->first + first * column->stride;
    for (unsigned i = 0; i < of->number; i++)
        memcpy(to + i * bytes,
               (const void *)(from + of->at[i] * column->stride), bytes);
}

/* Gather the elements at places of->at[i]; each becomes item i of *made. */
static void gather_column(const winnow__value_column *column, winnow_type type,
                          uint64_t first, const places *of, unsigned char *to,
                          winnow__value_column *made) {
    const size_t bytes = winnow_type_size(type);
    switch (bytes) {
    case 1:
        gather(column, first, of, 1, to);
        break;
    case 2:
        gather(column, first, of, 2, to);
        break;
    case 4:
        gather(column, first, of, 4, to);
        break;
    case 8:
        gather(column, first, of, 8, to);
        break;
    default:
        gather(column, first, of, MOST_BYTES, to);
    }
    *made = (winnow__value_column){
        .first = to, .stride = bytes, .access = WINNOW__VALUE_ELEMENTS};
}

/* Convert contiguous float32 values to float64 in place, from the last one on. */
static void widen(unsigned number, uint64_t values[]) {
    for (unsigned i = number; i-- > 0;) {
        float narrow;
        memcpy(&narrow, (const unsigned char *)values + i * sizeof narrow,
               sizeof narrow);
        const double wide = narrow;
        memcpy(&values[i], &wide, sizeof wide);
    }
}

/* Store the values at their places, except nulls. `valid`: NULL if there are no
 * nulls. */
static void scatter(const places *of, const uint64_t from[],
                    const uint32_t *valid, uint32_t live[], uint64_t values[]) {
    for (unsigned i = 0; i < of->number; i++)
        if (valid == NULL || (valid[i / 32] >> i % 32 & 1) != 0)
            values[of->at[i]] = from[i];
        else
            drop(live, of->at[i]);
}

enum {
    ELEMENT_BYTES = FEW * MOST_BYTES /* of a column */
};

_Static_assert(ELEMENT_BYTES % 64 == 0 && FEW * 8 % 64 == 0 &&
                   WINNOW__MOST_FEW_BYTES == WINNOW__MOST_READ * ELEMENT_BYTES +
                                                 FEW * 8 +
                                                 WINNOW__MOST_EVALUATE_BYTES,
               "the computed values, the columns' elements, and the registers "
               "are aligned");

size_t winnow__evaluate_few_bytes(const winnow__expression *expression) {
    return FEW * sizeof(uint64_t) + expression->columns * ELEMENT_BYTES +
           winnow__evaluate_bytes(expression, FEW);
}

void winnow__evaluate_few(winnow__host_isa isa,
                          const winnow__expression *expression,
                          const winnow__value_column columns[], uint64_t first,
                          uint32_t live[WORDS], void *memory,
                          uint64_t values[]) {
    uint64_t *const computed = memory;
    unsigned char *const element = (unsigned char *)(computed + FEW);
    uint32_t valid[(FEW + 31) / 32];
    winnow__value_column made[WINNOW__MOST_READ];
    places of;
    uint32_t *const made_valid = expression->program.makes_nulls ? valid : NULL;
    find_places(live, &of);
    for (unsigned c = 0; c < expression->columns; c++)
        if (columns[c].valid != NULL)
            drop_nulls(&columns[c], first, live, &of);
    if (of.number == 0)
        return;
    for (unsigned c = 0; c < expression->columns; c++)
        gather_column(&columns[c], expression->column[c].type, first, &of,
                      element + c * ELEMENT_BYTES, &made[c]);
    winnow__evaluate(isa, expression, expression->host.steps, made, 0,
                     of.number, element + expression->columns * ELEMENT_BYTES,
                     computed, made_valid);
    if (winnow__expression_type(expression) == WINNOW__FLOAT32)
        widen(of.number, computed);
    scatter(&of, computed, made_valid, live, values);
}
