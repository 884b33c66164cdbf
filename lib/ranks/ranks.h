/*
 * What the libraries on ranks share: libwinnow-mpi and libwinnow-nccl.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <winnow.h>

#include "core/try.h"

enum {
    WINNOW__RANKS_MOST_COLUMNS = 64,
    WINNOW__RANKS_RESERVED = 4 /* numbers of options */
};

/* ---- errors.c */

/* Set the detail; return the status. */
winnow_status winnow__ranks_fail(winnow_status status, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Of an argument that is wrong. */
winnow_status winnow__ranks_refuse(const char *format, ...)
    __attribute__((format(printf, 1, 2)));
/* Of a pointer that is needed, if it is NULL. */
winnow_status winnow__ranks_need(const void *pointer, const char *name);
/* Of an error that another rank has. */
winnow_status winnow__ranks_fail_elsewhere(winnow_status status, unsigned rank);
/* Where a rank is short of room: its numbers. */
winnow_status winnow__ranks_fail_short(unsigned rank, uint64_t needed,
                                       uint64_t capacity);
/* A hash of a value, and of what came before it: at first 0. */
uint64_t winnow__ranks_mix(uint64_t hash, uint64_t value);

/* ---- options.c */

/* Copy the caller's options, a struct `type` of `size` bytes that begins with its
 * size, to *taken; for NULL leave that as it is. */
winnow_status winnow__ranks_take_options(const void *options, const char *type,
                                         void *taken, size_t size);
/* A piece has 2^log2_most bytes at most. */
winnow_status winnow__ranks_check_options(const uint64_t *reserved,
                                          uint64_t piece_bytes,
                                          unsigned log2_most);

/* ---- columns.c */

winnow_status winnow__ranks_check_columns(const winnow_move *moves,
                                          unsigned number);
/* Of columns that are checked, when it is known how many elements go and come:
 * are they there, and apart? */
winnow_status winnow__ranks_check_memory(const winnow_move *moves,
                                         unsigned number, uint64_t sent,
                                         uint64_t received);
