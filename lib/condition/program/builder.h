/*
 * The values of a builder.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "expression.h"

/* ---- range.c: the least and the greatest value of an integer in a program. */
/* Of those that are not null. */
typedef struct winnow__range {
    int64_t low, high;
} winnow__range;

static inline bool winnow__is_within(winnow__range inner, winnow__range outer) {
    return outer.low <= inner.low && inner.high <= outer.high;
}

/* Of what an operation or a load makes of values in those ranges; b is a if it
 * has one operand. Of other values than INT64: any. */
winnow__range winnow__range_of(unsigned code, winnow__range a, winnow__range b);

enum {
    /* In place of a code. */
    WINNOW__IS_CONSTANT = WINNOW__OPERATION_CODES,
    WINNOW__COMPARES_STRINGS, /* `bits`: winnow_compare */

    WINNOW__MOST_VALUES = 1 << 17 /* of a builder */
};

typedef struct winnow__builder_node {
    uint8_t code;
    uint8_t type;        /* winnow__value_type */
    uint8_t column_type; /* of a load */
    uint8_t second_type; /* of COMPARES_STRINGS: b's */
    bool weak, is_null;  /* of a constant */
    winnow__value a, b;  /* operands, or 0; of a load, and of
                                       COMPARES_STRINGS: columns */
    uint64_t bits;       /* of a constant */
    winnow__range range; /* of an integer's bits, as an INT64 */
    /* That its program has, each once: at least, and no more than a program can
     * have. */
    unsigned operations;
    uint32_t seen; /* by the last count that passed it */
} winnow__builder_node;

/* An expression that was made of a value. */
typedef struct winnow__builder_made {
    winnow__value value;
    winnow__expression *expression; /* with a reference */
} winnow__builder_made;

struct winnow__builder {
    winnow_status status;
    uint32_t number, room;
    winnow__builder_node *nodes;
    uint32_t places;      /* a power of two, or 0 */
    winnow__value *place; /* by hash; WINNOW__NO_VALUE: none */
    uint32_t counts;      /* of operations, so far */
    /* Those that are used, and a few that are not any more. */
    uint32_t made_number, made_room;
    winnow__builder_made *made;
};

/* The value of a node, which is found, folded or added. Operands are values. */
winnow__value winnow__build_node(winnow__builder *builder,
                                 winnow__builder_node node);

/* Its status is that there is no memory; no value. */
winnow__value winnow__builder_no_memory(winnow__builder *builder);
/* An expression would have more of something; WINNOW_ERR_UNSUPPORTED. */
winnow_status winnow__fail_limit(unsigned most, const char *what);

static inline const winnow__builder_node *
winnow__node_of(const winnow__builder *builder, winnow__value value) {
    return &builder->nodes[value];
}

/* ---- values.c: an operation of a and b, or of a; of no value, no value */

winnow__value winnow__make(winnow__builder *builder, unsigned code,
                           winnow__value_type type, winnow__value a,
                           winnow__value b);
winnow__value winnow__make_one(winnow__builder *builder, unsigned code,
                               winnow__value_type type, winnow__value a);
/* What a load makes of a column's elements, which have this type. */
winnow__value winnow__build_load(winnow__builder *builder, uint16_t column,
                                 winnow_type type, unsigned code);

/* ---- convert.c */

static inline bool winnow__is_float(winnow__value_type type) {
    return type == WINNOW__FLOAT32 || type == WINNOW__FLOAT64;
}

/* To a float; or of an integer, the same. */
winnow__value winnow__convert(winnow__builder *builder, winnow__value value,
                              winnow__value_type type);
/* Of a BOOL: 0 or 1; of others, the same. */
winnow__value winnow__without_bool(winnow__builder *builder, winnow__value a);

/* ---- fold.c: the code of a division by a constant, of what another code
 * makes; and where it is one of WINNOW__QUOTIENTS, the constants that it has. */

enum {
    WINNOW__QUOTIENT_CONSTANTS = 3
};
unsigned winnow__quotient_by(unsigned code, unsigned of, uint64_t by,
                             uint64_t constants[WINNOW__QUOTIENT_CONSTANTS]);

/* ---- fold.c */

/* A node of an operation of constants becomes one. */
void winnow__fold(winnow__builder_node *node, const winnow__builder_node *a,
                  const winnow__builder_node *b);
bool winnow__may_make_null(unsigned code);
winnow__value_type winnow__loaded_type(unsigned code);
