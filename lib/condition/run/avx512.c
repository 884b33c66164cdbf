/*
 * The loops, in instructions of AVX-512.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#define LOOPS winnow__value_loops_avx512
#include "loops_of.h"
