/*
 * The loops, in instructions of AVX2.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#define LOOPS winnow__value_loops_avx2
#include "loops_of.h"
