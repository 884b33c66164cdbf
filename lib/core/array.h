/*
 * Arrays that the caller describes by a struct: winnow_in, winnow_out,
 * winnow_move.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "call.h"

/* The name of an argument, or of an element of an argument that is a list. */
typedef struct winnow__array_name {
    const char *name;
    unsigned number; /* 0: the argument; else its name[number - 1] */
} winnow__array_name;

/* The text before the name of a member in a message: "keys->", "columns[3].";
 * "" if the argument has no name. */
typedef struct winnow__array_text {
    char text[40];
} winnow__array_text;
winnow__array_text winnow__before_member(winnow__array_name name);

/* Is the description valid? Its address is not checked. */
winnow_status winnow__check_in(winnow__array_name name, const winnow_in *in);
/* The same for WINNOW_BIT, which winnow__check_in() refuses. The offset is not
 * checked. */
winnow_status winnow__check_in_of_bits(winnow__array_name name,
                                       const winnow_in *in);
/* The same for WINNOW_STRING32 and WINNOW_STRING64: strings, or other data that
 * lies between offsets. */
winnow_status winnow__check_in_of_strings(winnow__array_name name,
                                          const winnow_in *in);
/* winnow__check_in() or winnow__check_in_of_bits(), without the validity. */
winnow_status winnow__check_in_with_nulls(winnow__array_name name,
                                          const winnow_in *in);
winnow_status winnow__check_out(winnow__array_name name, const winnow_out *out);
/* An output as an input, which is checked in the same way. */
winnow_in winnow__as_in(const winnow_out *out);
/* WINNOW_ERR_UNSUPPORTED if the elements are not contiguous. */
winnow_status winnow__check_dense(winnow__array_name name, const winnow_in *in);
/* The same for the keys of groups, which have to be WINNOW_UINT32 or
 * WINNOW_UINT64. */
winnow_status winnow__check_numbers(winnow__array_name name,
                                    const winnow_in *in);

/* Bytes of an element, and from one to the next, of an array that was checked. */
size_t winnow__element_bytes(winnow_type type, uint32_t element_bytes);
int64_t winnow__stride_of(const winnow_in *in);

/* If d_data is NULL, all strings of the column or of its dictionary must be
 * empty. This is checked for calls that read arrays on the host, for items
 * below launch.d_n that are not null. */
winnow_status winnow__check_string_bytes(const winnow__query *query,
                                         winnow__array_name name,
                                         const winnow_in *column);

/* Do n elements lie in the address space? Always yes in plan mode without an
 * address. */
winnow_status winnow__check_extent(winnow__array_name name, const winnow_in *in,
                                   uint64_t n);
/* The memory of n elements of a checked array. With a negative stride it begins
 * at the last element. It may be unaligned. */
winnow__range winnow__in_range(winnow__array_name name, const winnow_in *in,
                               uint64_t n);
