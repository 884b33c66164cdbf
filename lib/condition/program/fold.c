/*
 * Operations of constants: their results; the properties of operations; and
 * divisions by a constant as multiplications by its reciprocal
 * (kernels/expression/scalar.h).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "builder.h"
#include "kernels/expression/scalar.h"

#include <math.h>
#include <string.h>

#define C_INT64 int64_t
#define C_UINT64 uint64_t
#define C_FLOAT32 float
#define C_FLOAT64 double
#define C_BOOL uint8_t

/* Convert bits to numbers, and back. */
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

/* The bits of an operation's result for the bits of a and b. */
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

__extension__ typedef unsigned __int128 wide;

/* ---------------------------------------------------------------- quotients */

/* The number of bits of by - 1, which is above 0. */
static unsigned bits_below(uint64_t by) {
    return 64 - (unsigned)__builtin_clzll(by - 1);
}

/* A power of two divided by a number, rounded up; for 2^128 the lower half. */
static uint64_t reciprocal(unsigned log2, uint64_t by) {
    const wide power_less_1 = log2 == 128 ? ~(wide)0 : ((wide)1 << log2) - 1;
    return (uint64_t)(power_less_1 / by) + 1;
}

/* Does the code make floats that are integers? */
static bool makes_whole(unsigned code) {
    return (code >= WINNOW__LOAD_INT8_FLOAT64 &&
            code <= WINNOW__LOAD_UINT32_FLOAT64) ||
           code == WINNOW__WIDE_TO_FLOAT64 ||
           code == WINNOW__INT64_TO_FLOAT64 ||
           code == WINNOW__UINT64_TO_FLOAT64;
}

/* For floats: false if the constant is not an integer, or is too large. */
static bool quotient_of_float(uint64_t by, uint64_t *constants) {
    double divisor;
    memcpy(&divisor, &by, sizeof divisor);
    const double factor = 1 / divisor;
    if (!(fabs(divisor) >= 2 && fabs(divisor) <= 0x1p50) ||
        rint(divisor) != divisor)
        return false;
    constants[0] = by;
    memcpy(&constants[1], &factor, sizeof factor);
    constants[2] = UINT64_MAX; /* not used */
    return true;
}

unsigned winnow__quotient_by(unsigned code, unsigned of, uint64_t by,
                             uint64_t constants[WINNOW__QUOTIENT_CONSTANTS]) {
    static const uint8_t quotient[WINNOW__OPERATION_CODES] = {
#define QUOTIENT(NAME) [WINNOW__##NAME] = WINNOW__##NAME##_BY
        QUOTIENT(FLOOR_DIVIDE_INT64), QUOTIENT(FLOOR_DIVIDE_UINT64),
        QUOTIENT(REMAINDER_INT64), QUOTIENT(REMAINDER_UINT64)
#undef QUOTIENT
    };
    if (code == WINNOW__DIVIDE_FLOAT64)
        return makes_whole(of) && quotient_of_float(by, constants)
                   ? WINNOW__DIVIDE_FLOAT64_BY
                   : code;
    const bool is_signed =
        code == WINNOW__FLOOR_DIVIDE_INT64 || code == WINNOW__REMAINDER_INT64;
    /* The sign of the remainder only depends on the dividend. */
    if (code == WINNOW__REMAINDER_INT64 && by > INT64_MAX)
        by = 0 - by;
    if (quotient[code] == 0 || by <= 1 || (is_signed && by > INT64_MAX))
        return code;
    const unsigned bits = bits_below(by);
    constants[0] = by;
    constants[1] = reciprocal(bits + (is_signed ? 63 : 64), by);
    /* The unused upper half makes it differ from all other constants. Equal constants
     * are stored once, and programs that only differ in constants have to be alike. */
    constants[2] = UINT64_MAX << 32 | (bits - 1);
    return quotient[code];
}
