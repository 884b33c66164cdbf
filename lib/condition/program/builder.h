/*
 * The values of a builder.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "expression.h"

/* ---- range.c: the least and the greatest value of an integer in a program. */
/* The values that are not null. */
typedef struct winnow__range {
    int64_t low, high;
} winnow__range;

static inline bool winnow__is_within(winnow__range inner, winnow__range outer) {
    return outer.low <= inner.low && inner.high <= outer.high;
}

/* The range of an operation or a load on values in these ranges; b is a if it
 * has one operand. Any range if the values are not INT64. */
winnow__range winnow__range_of(unsigned code, winnow__range a, winnow__range b);

enum {
    /* Used like a code. */
    WINNOW__IS_CONSTANT = WINNOW__OPERATION_CODES,
    WINNOW__COMPARES_STRINGS, /* `bits`: winnow_compare */

    WINNOW__MOST_VALUES = 1 << 17 /* of a builder */
};

typedef struct winnow__builder_node {
    uint8_t code;
    uint8_t type;        /* winnow__value_type */
    uint8_t column_type; /* for a load */
    uint8_t second_type; /* for COMPARES_STRINGS: the type of b */
    bool weak, is_null;  /* for a constant */
    winnow__value a, b;  /* operands, or 0; columns for a load and for
                            COMPARES_STRINGS */
    uint64_t bits;       /* for a constant */
    winnow__range range; /* of an integer's bits, as an INT64 */
    /* Number of operations in its program, each counted once: a lower bound,
     * and at most what a program can have. */
    unsigned operations;
    uint32_t seen; /* the last count that visited it */
} winnow__builder_node;

/* An expression made from a value. */
typedef struct winnow__builder_made {
    winnow__value value;
    winnow__expression *expression; /* with a reference */
} winnow__builder_made;

struct winnow__builder {
    winnow_status status;
    uint32_t number, room;
    winnow__builder_node *nodes;
    uint32_t places;      /* a power of two, or 0 */
    winnow__value *place; /* a hash table; WINNOW__NO_VALUE: free */
    uint32_t counts;      /* counts of operations so far */
    /* Includes a few that are not used any more. */
    uint32_t made_number, made_room;
    winnow__builder_made *made;
};

/* Find, fold or add a node; returns its value. Operands are values. */
winnow__value winnow__build_node(winnow__builder *builder,
                                 winnow__builder_node node);

/* Set the status to out of memory; returns no value. */
winnow__value winnow__builder_no_memory(winnow__builder *builder);
/* WINNOW_ERR_UNSUPPORTED: an expression would exceed a limit. */
winnow_status winnow__fail_limit(unsigned most, const char *what);

static inline const winnow__builder_node *
winnow__node_of(const winnow__builder *builder, winnow__value value) {
    return &builder->nodes[value];
}

/* ---- values.c: an operation on a and b, or on a. NO_VALUE if an operand is that. */

winnow__value winnow__make(winnow__builder *builder, unsigned code,
                           winnow__value_type type, winnow__value a,
                           winnow__value b);
winnow__value winnow__make_one(winnow__builder *builder, unsigned code,
                               winnow__value_type type, winnow__value a);
/* Load a column's elements, which have this type. */
winnow__value winnow__build_load(winnow__builder *builder, uint16_t column,
                                 winnow_type type, unsigned code);

/* ---- convert.c */

static inline bool winnow__is_float(winnow__value_type type) {
    return type == WINNOW__FLOAT32 || type == WINNOW__FLOAT64;
}

/* Convert to a float type; an integer type stays as it is. */
winnow__value winnow__convert(winnow__builder *builder, winnow__value value,
                              winnow__value_type type);
/* A BOOL becomes 0 or 1; other values stay as they are. */
winnow__value winnow__without_bool(winnow__builder *builder, winnow__value a);

/* ---- fold.c: the code for dividing what another code makes by a constant; and
 * the division's constants if that is one of WINNOW__QUOTIENTS. */

enum {
    WINNOW__QUOTIENT_CONSTANTS = 3
};
unsigned winnow__quotient_by(unsigned code, unsigned of, uint64_t by,
                             uint64_t constants[WINNOW__QUOTIENT_CONSTANTS]);

/* ---- fold.c */

/* Turn a node of an operation on constants into a constant. */
void winnow__fold(winnow__builder_node *node, const winnow__builder_node *a,
                  const winnow__builder_node *b);
bool winnow__may_make_null(unsigned code);
winnow__value_type winnow__loaded_type(unsigned code);
