/*
 * What libwinnow-mpi and libwinnow-nccl, the libraries for ranks, share.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <winnow.h>

#include "core/try.h"

enum {
    WINNOW__RANKS_MOST_COLUMNS = 64,
    WINNOW__RANKS_RESERVED = 4 /* reserved members of options */
};

/* ---- errors.c */

/* Set the detail; return the status. */
winnow_status winnow__ranks_fail(winnow_status status, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* The error for a wrong argument. */
winnow_status winnow__ranks_refuse(const char *format, ...)
    __attribute__((format(printf, 1, 2)));
/* The error for a required pointer that is NULL. */
winnow_status winnow__ranks_need(const void *pointer, const char *name);
/* The error for an error on another rank. */
winnow_status winnow__ranks_fail_elsewhere(winnow_status status, unsigned rank);
/* The error for a rank that has too little room. */
winnow_status winnow__ranks_fail_short(unsigned rank, uint64_t needed,
                                       uint64_t capacity);
/* Mixes a value into a hash, which begins as 0. */
uint64_t winnow__ranks_mix(uint64_t hash, uint64_t value);

/* ---- options.c */

/* Copy the caller's options, a struct `type` of `size` bytes that begins with
 * its size, to *taken. If options is NULL, leave *taken as it is. */
winnow_status winnow__ranks_take_options(const void *options, const char *type,
                                         void *taken, size_t size);
/* A piece has at most 2^log2_most bytes. */
winnow_status winnow__ranks_check_options(const uint64_t *reserved,
                                          uint64_t piece_bytes,
                                          unsigned log2_most);

/* ---- columns.c */

winnow_status winnow__ranks_check_columns(const winnow_move *moves,
                                          unsigned number);
/* Do the arrays of checked columns exist, and are they apart? For known numbers
 * of elements sent and received. */
winnow_status winnow__ranks_check_memory(const winnow_move *moves,
                                         unsigned number, uint64_t sent,
                                         uint64_t received);
