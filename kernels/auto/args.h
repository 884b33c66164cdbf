/*
 * The arguments of choose.cu.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "kernels/core/args.h"

/* The most candidates, and the most ranges of selectivity, of a choice. */
#define WINNOW__MOST_CANDIDATES 8

/* Ranges of the selectivity, in ascending order. */
typedef struct winnow__choice_args {
    winnow__args args;
    uint32_t number;
    /* A range ends below this number of survivors in the sample; the last range
     * has no end. */
    uint32_t below[WINNOW__MOST_CANDIDATES];
    int32_t strategy[WINNOW__MOST_CANDIDATES];
    uint8_t candidate[WINNOW__MOST_CANDIDATES]; /* numbers from 1 on */
} winnow__choice_args;
