/*
 * SPDX-License-Identifier: Apache-2.0
 */
#include "decimal.h"

#include <stdio.h>
#include <stdlib.h>

__extension__ typedef unsigned __int128 wide;

void program_write_decimal(int64_t upper, uint64_t lower, int scale,
                           char text[PROGRAM_DECIMAL_BYTES]) {
    char digits[PROGRAM_DECIMAL_BYTES]; /* the last one first */
    const wide units = (wide)(uint64_t)upper << 64 | lower;
    wide left = upper < 0 ? 0 - units : units;
    int count = 0, zeros = left != 0 && scale < 0 ? -scale : 0;
    for (; zeros > 0; zeros--)
        digits[count++] = '0';
    for (; left != 0 || count <= (scale > 0 ? scale : 0); left /= 10)
        digits[count++] = (char)('0' + (int)(left % 10));
    if (upper < 0)
        *text++ = '-';
    while (count > 0) {
        *text++ = digits[--count];
        if (count == scale && scale > 0)
            *text++ = '.';
    }
    *text = '\0';
}

/* In doubles the sum would be rounded, the mean of the units, and the result. */
double program_decimal_mean(int64_t upper, uint64_t lower, int scale,
                            uint64_t count) {
    const wide units = (wide)(uint64_t)upper << 64 | lower;
    const long double size = (long double)(upper < 0 ? 0 - units : units) /
                             (long double)count;
    char power[16];
    snprintf(power, sizeof power, "1e%d", abs(scale));
    const long double ten = strtold(power, NULL);
    const double mean = (double)(scale > 0 ? size / ten : size * ten);
    return upper < 0 ? -mean : mean;
}
