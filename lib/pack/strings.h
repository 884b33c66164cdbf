/*
 * Strings, which selections pack: bytes behind offsets.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "selection/sink.h"

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
} winnow__string_packing;

/* What a call packs, and the bytes that its query writes at most. */
winnow__string_packing winnow__string_packing_of(const winnow__call *call);
uint64_t winnow__string_room(const winnow__query *query);

/* Bytes of memory that each works in: strings_host.c, strings_cuda.c. */
size_t winnow__strings_host_bytes(const winnow__query *query);
winnow__sink_host winnow__pack_strings_on_host;
size_t winnow__strings_device_bytes(const winnow__query *query);
winnow__sink_device winnow__pack_strings_on_device;
