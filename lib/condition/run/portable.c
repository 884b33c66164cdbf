/*
 * The loops, in instructions that every CPU has.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#define LOOPS winnow__value_loops_portable
#include "loops_of.h"
