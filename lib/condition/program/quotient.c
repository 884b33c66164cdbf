/*
 * Divisions by a constant, as multiplications by its reciprocal
 * (kernels/expression/scalar.h).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "builder.h"

#include <math.h>
#include <string.h>

__extension__ typedef unsigned __int128 wide;

/* The bits of by - 1, which is above 0. */
static unsigned bits_below(uint64_t by) {
    return 64 - (unsigned)__builtin_clzll(by - 1);
}

/* A power of two divided by a number, rounded up; of 2^128 the lower half. */
static uint64_t reciprocal(unsigned log2, uint64_t by) {
    const wide power_less_1 = log2 == 128 ? ~(wide)0 : ((wide)1 << log2) - 1;
    return (uint64_t)(power_less_1 / by) + 1;
}

/* Is what a code makes an integer, as a float? */
static bool makes_whole(unsigned code) {
    return (code >= WINNOW__LOAD_INT8_FLOAT64 &&
            code <= WINNOW__LOAD_UINT32_FLOAT64) ||
           code == WINNOW__WIDE_TO_FLOAT64 ||
           code == WINNOW__INT64_TO_FLOAT64 ||
           code == WINNOW__UINT64_TO_FLOAT64;
}

/* Of floats: false where the constant is no integer, or too large a one. */
static bool quotient_of_float(uint64_t by, uint64_t *constants) {
    double divisor;
    memcpy(&divisor, &by, sizeof divisor);
    const double factor = 1 / divisor;
    if (!(fabs(divisor) >= 2 && fabs(divisor) <= 0x1p50) ||
        rint(divisor) != divisor)
        return false;
    constants[0] = by;
    memcpy(&constants[1], &factor, sizeof factor);
    constants[2] = UINT64_MAX; /* nobody's */
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
    /* The remainder has the sign of the dividend alone. */
    if (code == WINNOW__REMAINDER_INT64 && by > INT64_MAX)
        by = 0 - by;
    if (quotient[code] == 0 || by <= 1 || (is_signed && by > INT64_MAX))
        return code;
    const unsigned bits = bits_below(by);
    constants[0] = by;
    constants[1] = reciprocal(bits + (is_signed ? 63 : 64), by);
    /* With a half that is not read, so that it is no other constant by chance:
     * equal ones are one, and programs that differ in constants are to be alike. */
    constants[2] = UINT64_MAX << 32 | (bits - 1);
    return quotient[code];
}
