/*
 * The operands of operators, functions and comparisons that are computed.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "text.h"

/* What a value may be combined with. */
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

/* A value of the builder; of a moment, it counts a unit. */
typedef struct winnow__operand {
    winnow__value value;
    winnow__operand_kind kind;
    unsigned unit;
    bool zoned;
    uint16_t column; /* that has the zone */
} winnow__operand;

/* ---- operand_kind.c */

winnow__operand_kind winnow__operand_kind_of(const winnow__text *text,
                                             const winnow__text_value *value);
/* "int32", "dates", "booleans": what a column is of. */
const char *winnow__column_type_name(const winnow__text *text,
                                     const winnow__text_value *column);
/* The same of any value: "a date", "a condition". */
const char *winnow__operand_type_name(const winnow__text *text,
                                      const winnow__text_value *value);
/* a op b is not possible: the operator takes what is `wanted`. False. */
bool winnow__text_fail_two(winnow__text *text, const winnow__text_value *a,
                           const winnow__text_value *op,
                           const winnow__text_value *b, const char *wanted);

/* ---- operand.c. False: they failed. */

/* Has the text a builder, or can it be made? It is made. */
bool winnow__text_have_builder(winnow__text *text);
/* Was the value built? A failure of the builder has a detail without a place. */
bool winnow__text_check_value(winnow__text *text, winnow__value value,
                              uint32_t place);
/* *value as an operand; a literal is in the zone of what is beside it. */
bool winnow__text_take_operand(winnow__text *text,
                               const winnow__text_value *value,
                               const winnow__text_value *beside,
                               winnow__operand *to);
/* Are both exact, and is one a decimal? Then they are taken as such: decimals,
 * integers, literals without an exponent. */
bool winnow__text_is_exact(const winnow__text *text,
                           const winnow__text_value *value);
bool winnow__text_are_exact(const winnow__text *text,
                            const winnow__text_value *a,
                            const winnow__text_value *b);
bool winnow__text_is_decimal(const winnow__text *text,
                             const winnow__text_value *value);
/* *value becomes decimals; what made them is at `place`. */
bool winnow__text_give_exact(winnow__text *text, winnow__text_value *value,
                             const winnow__exact *from,
                             winnow__text_span place);
bool winnow__text_take_exact(winnow__text *text,
                             const winnow__text_value *value,
                             winnow__exact *to);
/* *value becomes what is computed. */
bool winnow__text_give(winnow__text *text, winnow__text_value *value,
                       const winnow__operand *from);
/* ---- fold.c */

/* Has a literal an exponent? */
bool winnow__text_has_exponent(const winnow__text *text,
                               const winnow__text_value *number);
/* The units of a literal that has none, of which 10^places are 1. */
bool winnow__text_take_units(winnow__text *text,
                             const winnow__text_value *number,
                             winnow__wide *units, int *places);
/* ---- compare_values.c: *value becomes what a comparison says, a BOOL, which may
 * be known of all items. */
bool winnow__text_give_truth(winnow__text *text, winnow__text_value *value,
                             winnow__value truth, uint32_t place);

/* ---- operand.c */

/* Both are moments of one kind, with a zone or without. */
bool winnow__operands_are_alike(const winnow__operand *a,
                                const winnow__operand *b);
