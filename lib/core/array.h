/*
 * Arrays that the caller describes by a struct: winnow_in, winnow_out,
 * winnow_move.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "call.h"

/* The name of an argument, or of one of a list of them. */
typedef struct winnow__array_name {
    const char *name;
    unsigned number; /* 0: that is it; else name[number - 1] */
} winnow__array_name;

/* What stands before the name of a member: "keys->", "columns[3]."; "" where the
 * argument has no name. Only for messages. */
typedef struct winnow__array_text {
    char text[40];
} winnow__array_text;
winnow__array_text winnow__before_member(winnow__array_name name);

/* Is it described in a way that means something? Nothing is said of where the
 * elements are. */
winnow_status winnow__check_in(winnow__array_name name, const winnow_in *in);
/* The same of one of WINNOW_BIT, which the former refuses. Nothing is said of
 * the offset. */
winnow_status winnow__check_in_of_bits(winnow__array_name name,
                                       const winnow_in *in);
/* The same of strings, of WINNOW_STRING32 or WINNOW_STRING64, or of what else
 * lies between offsets. */
winnow_status winnow__check_in_of_strings(winnow__array_name name,
                                          const winnow_in *in);
/* One of the first two, which may have a validity, of which nothing is said. */
winnow_status winnow__check_in_with_nulls(winnow__array_name name,
                                          const winnow_in *in);
winnow_status winnow__check_out(winnow__array_name name, const winnow_out *out);
/* An output as an array to read, which is checked in the same way. */
winnow_in winnow__as_in(const winnow_out *out);
/* Its elements lie side by side; WINNOW_ERR_UNSUPPORTED where they do not. */
winnow_status winnow__check_dense(winnow__array_name name, const winnow_in *in);
/* The same, and they are WINNOW_UINT32 or WINNOW_UINT64: keys by which others
 * are grouped. */
winnow_status winnow__check_numbers(winnow__array_name name,
                                    const winnow_in *in);

/* Of an array that is checked: bytes of an element, and from one to the next.
 */
size_t winnow__element_bytes(winnow_type type, uint32_t element_bytes);
int64_t winnow__stride_of(const winnow_in *in);

/* Of a call whose arrays are read on the host: strings, or those of a dictionary,
 * without d_data are all empty. What the query's launch leaves out, and nulls, may
 * be anything. */
winnow_status winnow__check_string_bytes(const winnow__query *query,
                                         winnow__array_name name,
                                         const winnow_in *column);

/* Do n elements lie in the address space? In plan mode, without an address, any
 * do. */
winnow_status winnow__check_extent(winnow__array_name name, const winnow_in *in,
                                   uint64_t n);
/* What they take, when that is checked: with a negative stride from the last
 * one on. Of any alignment. */
winnow__range winnow__in_range(winnow__array_name name, const winnow_in *in,
                               uint64_t n);
