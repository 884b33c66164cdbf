/*
 * Decimals as text.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_PROGRAMS_DECIMAL_H
#define WINNOW_PROGRAMS_DECIMAL_H

#include <stdint.h>

enum {
    PROGRAM_DECIMAL_BYTES = 512 /* with the 0 behind it */
};

/* (2^64 upper + lower) / 10^scale with all its digits: -0.05, 12.50, 7. A scale is
 * from -128 to 127. */
void program_write_decimal(int64_t upper, uint64_t lower, int scale,
                           char text[PROGRAM_DECIMAL_BYTES]);

/* The mean of `count` decimals of which that is the sum. */
double program_decimal_mean(int64_t upper, uint64_t lower, int scale,
                            uint64_t count);

#endif
