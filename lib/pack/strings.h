/*
 * Strings, which selections pack: bytes behind offsets.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "selection/format.h"

/* The most bytes that offsets of a width count. */
static inline uint64_t winnow__most_bytes(bool is_wide) {
    return is_wide ? INT64_MAX : INT32_MAX;
}

typedef struct winnow__string_packing {
    const void *offsets;
    const unsigned char *data; /* not read where there is no `out` */
    uint64_t size;             /* an offset above it counts as that */
    bool is_wide;              /* are offsets of 64 bits? */
    void *out_offsets;
    unsigned char *out; /* NULL: offsets alone are written */
    uint64_t capacity;  /* strings */
    uint64_t room;      /* bytes; an offset above it is written as that */
    uint64_t *counts;   /* NULL: not asked for */
} winnow__string_packing;

/* ---- strings_host.c */

/* Bytes of memory that it works in, a multiple of 16. */
uint64_t winnow__strings_host_bytes(uint64_t n);
void winnow__pack_strings_on_host(const winnow__host_task *task,
                                  const winnow__selection *from,
                                  const winnow__string_packing *packing,
                                  void *memory);

/* ---- strings_cuda.c */

uint64_t winnow__strings_device_bytes(uint64_t n, uint64_t room);
winnow_status winnow__pack_strings_on_device(
    const winnow_context *context, const winnow__selection *from,
    const winnow__string_packing *packing, void *memory, winnow_stream stream);
