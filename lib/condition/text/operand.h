/*
 * The operands of computed operators, functions and comparisons.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "text.h"

/* The kinds of values that can be combined. */
typedef enum winnow__operand_kind {
    WINNOW__OPERAND_NONE, /* conditions, strings, texts, masks, integers of 128
                             bits */
    WINNOW__OPERAND_BITS,
    WINNOW__OPERAND_NUMBER,
    WINNOW__OPERAND_NULL,
    WINNOW__OPERAND_INSTANT, /* a date or a timestamp */
    WINNOW__OPERAND_TIME,
    WINNOW__OPERAND_DURATION
} winnow__operand_kind;

/* A value of the builder. A moment counts units. */
typedef struct winnow__operand {
    winnow__value value;
    winnow__operand_kind kind;
    unsigned unit;
    bool zoned;
    uint16_t column; /* the column with the zone */
} winnow__operand;

/* ---- operand_kind.c */

winnow__operand_kind winnow__operand_kind_of(const winnow__text *text,
                                             const winnow__text_value *value);
/* The type of a column: "int32", "dates", "booleans". */
const char *winnow__column_type_name(const winnow__text *text,
                                     const winnow__text_value *column);
/* The same for any value: "a date", "a condition". */
const char *winnow__operand_type_name(const winnow__text *text,
                                      const winnow__text_value *value);
/* Fail because a op b is impossible: op needs what `wanted` says. Returns false. */
bool winnow__text_fail_two(winnow__text *text, const winnow__text_value *a,
                           const winnow__text_value *op,
                           const winnow__text_value *b, const char *wanted);

/* ---- operand.c. False: failed. */

/* Make the text's builder if there is none yet. */
bool winnow__text_have_builder(winnow__text *text);
/* Was the value built? If the builder failed, the detail gets the place. */
bool winnow__text_check_value(winnow__text *text, winnow__value value,
                              uint32_t place);
/* Turn *value into an operand. A literal gets the zone of the other operand. */
bool winnow__text_take_operand(winnow__text *text,
                               const winnow__text_value *value,
                               const winnow__text_value *beside,
                               winnow__operand *to);
/* Is it exact: a decimal, an integer, or a literal without an exponent? Are
 * both exact, and is at least one a decimal? Is it a decimal? */
bool winnow__text_is_exact(const winnow__text *text,
                           const winnow__text_value *value);
bool winnow__text_are_exact(const winnow__text *text,
                            const winnow__text_value *a,
                            const winnow__text_value *b);
bool winnow__text_is_decimal(const winnow__text *text,
                             const winnow__text_value *value);
/* Turn *value into decimals. `place`: the text that made them. */
bool winnow__text_give_exact(winnow__text *text, winnow__text_value *value,
                             const winnow__exact *from,
                             winnow__text_span place);
bool winnow__text_take_exact(winnow__text *text,
                             const winnow__text_value *value,
                             winnow__exact *to);
/* Turn *value into a computed value. */
bool winnow__text_give(winnow__text *text, winnow__text_value *value,
                       const winnow__operand *from);
/* ---- fold.c */

/* Does a literal have an exponent? */
bool winnow__text_has_exponent(const winnow__text *text,
                               const winnow__text_value *number);
/* The units of a literal without an exponent: the literal is units / 10^places. */
bool winnow__text_take_units(winnow__text *text,
                             const winnow__text_value *number,
                             winnow__wide *units, int *places);
/* ---- compare_values.c: turn *value into the result of a comparison, a BOOL,
 * which may be the same for all items. */
bool winnow__text_give_truth(winnow__text *text, winnow__text_value *value,
                             winnow__value truth, uint32_t place);

/* ---- operand.c */

/* Are both moments of one kind, and both with a zone or both without? */
bool winnow__operands_are_alike(const winnow__operand *a,
                                const winnow__operand *b);
