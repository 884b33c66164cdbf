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
/* Items of a thread for which one operation is done before the next. */
#define WINNOW__INTERPRET_EACH 8
/* Items of a block. */
#define WINNOW__INTERPRET_TILE 4096
/* Bytes of dynamic shared memory for each register of a program. */
#define WINNOW__INTERPRET_REGISTER_BYTES                                       \
    (WINNOW__INTERPRET_THREADS * WINNOW__INTERPRET_EACH * 8)
/* The most tests of a launch; more tests take further launches. */
#define WINNOW__INTERPRET_TESTS 16

/* What is done with the values. */
typedef enum winnow__interpret_use {
    WINNOW__INTERPRET_NONE = 0, /* nothing: only nulls are wanted */
    WINNOW__INTERPRET_TEST = 1, /* bits: do they pass any test? */
    WINNOW__INTERPRET_SET = 2,  /* bits: are they in the set? */
    WINNOW__INTERPRET_BOOL = 3, /* bits: the values are truth values */
    WINNOW__INTERPRET_STORE = 4 /* the values are lengths, which are stored */
} winnow__interpret_use;

/* Words have 32 items. Bits behind the last item are 0. */
typedef struct winnow__interpret_args {
    winnow__value_program program;
    winnow__value_column columns[WINNOW__MOST_READ];
    uint64_t n;
    const unsigned long long *items; /* NULL, or the number of items, up to n */
    uint32_t *words;                 /* result: bits */
    uint32_t *valid;                 /* NULL, or result: bits, not null */
    uint64_t *values; /* result: lengths; a null is WINNOW__VALUE_NO_LENGTH */
    uint8_t use;      /* winnow__interpret_use */
    bool adds;        /* are the bits added to those in `words` by OR? */
    uint16_t tests;
    winnow__set_ref set;
    winnow__test test[WINNOW__INTERPRET_TESTS];
} winnow__interpret_args;
