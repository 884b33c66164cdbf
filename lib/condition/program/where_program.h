/*
 * The program that decides a condition.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "tree.h"
#include "kernels/expression/program.h"
#include "kernels/select/where.h"

/* A leaf's test of strings, by its number. */
typedef struct winnow__string_leaf {
    /* NULL: is the index a value of a dictionary of any type, and not null? */
    const struct winnow__string_test *test;
    uint8_t tested; /* the index of its column among those tested */
    bool inverted;  /* Strings pass if they fail the test. A null, or an index
                       outside of the dictionary, never passes. */
} winnow__string_leaf;

/* A program of a condition, which it is made with and belongs to. It never
 * changes. Its columns say how leaves read them; a call adds the addresses
 * (where_bind.c). */
typedef struct winnow__program {
    winnow__where_program code;
    unsigned sets;
    const struct winnow__set **set;
    unsigned strings;
    winnow__string_leaf *string;
} winnow__program;

/* Make both programs of a condition. Its other members have to be set. */
winnow_status winnow__make_programs(winnow_condition *condition);
