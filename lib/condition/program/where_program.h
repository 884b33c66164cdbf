/*
 * The program that decides a condition.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "tree.h"
#include "kernels/expression/program.h"
#include "kernels/select/where.h"

/* A test of strings that a leaf makes, by its number. */
typedef struct winnow__string_leaf {
    /* NULL: whether they are values, and no nulls, of a dictionary of any type. */
    const struct winnow__string_test *test;
    uint8_t tested; /* number of its column among those tested */
    bool inverted;  /* Strings pass that fail the test. An index outside the
                       dictionary or a null passes neither. */
} winnow__string_leaf;

/*
 * A program of a condition. It is made with the condition, belongs to it, and is
 * only read afterwards. Its columns say how their leaves read them; a call adds
 * where they are (where_bind.c).
 */
typedef struct winnow__program {
    winnow__where_program code;
    unsigned sets;
    const struct winnow__set **set;
    unsigned strings;
    winnow__string_leaf *string;
} winnow__program;

/* Make both programs of a condition whose other members are set. */
winnow_status winnow__make_programs(winnow_condition *condition);
