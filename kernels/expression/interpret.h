/*
 * The argument of interpret.cu: plain C, included by both sides.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "kernels/core/args.h"
#include "kernels/set/table.h"
#include "program.h"

#define WINNOW__INTERPRET_THREADS 64
/* Items of a thread that an operation is done for before the next one. */
#define WINNOW__INTERPRET_EACH 8
/* Items of a block. */
#define WINNOW__INTERPRET_TILE 4096
/* Bytes of dynamic shared memory for each register of a program. */
#define WINNOW__INTERPRET_REGISTER_BYTES                                       \
    (WINNOW__INTERPRET_THREADS * WINNOW__INTERPRET_EACH * 8)
/* The most tests of a launch; what has more is launched again. */
#define WINNOW__INTERPRET_TESTS 16

/* What becomes of the values. */
typedef enum winnow__interpret_use {
    WINNOW__INTERPRET_NONE = 0, /* whether they are null is asked */
    WINNOW__INTERPRET_TEST = 1, /* bits: do they pass any test? */
    WINNOW__INTERPRET_SET = 2,  /* bits: are they in the set? */
    WINNOW__INTERPRET_BOOL = 3, /* bits: they are such */
    WINNOW__INTERPRET_STORE = 4 /* they are lengths, which are stored */
} winnow__interpret_use;

/* Words are of 32 items, those behind the last one 0. */
typedef struct winnow__interpret_args {
    winnow__value_program program;
    winnow__value_column columns[WINNOW__MOST_READ];
    uint64_t n;
    const unsigned long long *items; /* NULL, or how many are looked at */
    uint32_t *words;                 /* of bits */
    uint32_t *valid;                 /* NULL, or bits: they are not null */
    uint64_t *values; /* that are stored: WINNOW__VALUE_NO_LENGTH of nulls */
    uint8_t use;      /* winnow__interpret_use */
    bool adds;        /* to the words' bits */
    uint16_t tests;
    winnow__set_ref set;
    winnow__test test[WINNOW__INTERPRET_TESTS];
} winnow__interpret_args;
