/*
 * Operations of constants, and what is known of each operation.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "builder.h"

#include "kernels/expression/scalar.h"

#include <string.h>

#define C_INT64 int64_t
#define C_UINT64 uint64_t
#define C_FLOAT32 float
#define C_FLOAT64 double
#define C_BOOL uint8_t

/* Numbers from bits, and back. */
#define CONVERT(TYPE)                                                          \
    static C_##TYPE number_##TYPE(uint64_t bits) {                             \
        C_##TYPE number;                                                       \
        memcpy(&number, &bits, sizeof number); /* little-endian */             \
        return number;                                                         \
    }                                                                          \
    static uint64_t bits_##TYPE(C_##TYPE number) {                             \
        uint64_t bits = 0;                                                     \
        memcpy(&bits, &number, sizeof number);                                 \
        return bits;                                                           \
    }
CONVERT(INT64)
CONVERT(UINT64)
CONVERT(FLOAT32)
CONVERT(FLOAT64)
CONVERT(BOOL)

/* The bits of what an operation makes of those of a and b. */
static uint64_t value_of(unsigned code, uint64_t a, uint64_t b) {
    switch (code) {
#define UNARY(NAME, A, RESULT)                                                 \
    case WINNOW__##NAME:                                                       \
        return bits_##RESULT(winnow__do_##NAME(number_##A(a)));
#define BINARY(NAME, A, B, RESULT)                                             \
    case WINNOW__##NAME:                                                       \
        return bits_##RESULT(winnow__do_##NAME(number_##A(a), number_##B(b)));
        WINNOW__UNARY_OPERATIONS(UNARY)
        WINNOW__UNARY_NULL_OPERATIONS(UNARY)
        WINNOW__BINARY_OPERATIONS(BINARY)
        WINNOW__COMPARISONS(BINARY)
        WINNOW__BINARY_NULL_OPERATIONS(BINARY)
#undef UNARY
#undef BINARY
    default: /* loads, which have no operands */
        return 0;
    }
}

static bool is_null(unsigned code, uint64_t a, uint64_t b) {
    switch (code) {
#define UNARY(NAME, A, RESULT)                                                 \
    case WINNOW__##NAME:                                                       \
        return winnow__null_##NAME(number_##A(a));
#define BINARY(NAME, A, B, RESULT)                                             \
    case WINNOW__##NAME:                                                       \
        return winnow__null_##NAME(number_##A(a), number_##B(b));
        WINNOW__UNARY_NULL_OPERATIONS(UNARY)
        WINNOW__BINARY_NULL_OPERATIONS(BINARY)
#undef UNARY
#undef BINARY
    default:
        return false;
    }
}

void winnow__fold(winnow__builder_node *node, const winnow__builder_node *a,
                  const winnow__builder_node *b) {
    const bool a_constant = a->code == WINNOW__IS_CONSTANT;
    const bool b_constant = b == NULL || b->code == WINNOW__IS_CONSTANT;
    const bool null_operand =
        (a_constant && a->is_null) || (b != NULL && b_constant && b->is_null);
    if (!null_operand && !(a_constant && b_constant))
        return;
    /* A null is weak only if no type was asked for. */
    const uint64_t second = b == NULL ? 0 : b->bits;
    *node = (winnow__builder_node){
        .code = WINNOW__IS_CONSTANT,
        .type = node->type,
        .weak = a_constant && a->weak && (b == NULL || (b_constant && b->weak)),
        .is_null = null_operand || is_null(node->code, a->bits, second),
        .bits = null_operand ? 0 : value_of(node->code, a->bits, second)};
    if (node->is_null)
        node->bits = 0;
}

bool winnow__may_make_null(unsigned code) {
    switch (code) {
        WINNOW__UNARY_NULL_OPERATIONS(WINNOW__CASE)
        WINNOW__BINARY_NULL_OPERATIONS(WINNOW__CASE)
        return true;
    default:
        return false;
    }
}

winnow__value_type winnow__loaded_type(unsigned code) {
    switch (code) {
#define LOAD(NAME, C, RESULT)                                                  \
    case WINNOW__##NAME:                                                       \
        return WINNOW__##RESULT;
#define OTHER(NAME, RESULT)                                                    \
    case WINNOW__##NAME:                                                       \
        return WINNOW__##RESULT;
        WINNOW__LOADS(LOAD)
        WINNOW__OTHER_LOADS(OTHER)
#undef LOAD
#undef OTHER
    default: /* of no load */
        return WINNOW__INT64;
    }
}
