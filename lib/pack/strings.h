/*
 * Strings, which selections pack: bytes behind offsets.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "selection/sink.h"

/* The largest offset of a width. */
static inline uint64_t winnow__most_bytes(bool is_wide) {
    return is_wide ? INT64_MAX : INT32_MAX;
}

typedef struct winnow__string_packing {
    const void *offsets;
    const unsigned char *data; /* not read if `out` is NULL */
    uint64_t size;             /* larger offsets count as this */
    bool is_wide;              /* do offsets have 64 bits? */
    void *out_offsets;
    unsigned char *out; /* NULL: only offsets are written */
    uint64_t capacity;  /* strings */
    uint64_t room;      /* bytes; larger offsets are written as this */
} winnow__string_packing;

/* The arguments of a call; and the most bytes that its query writes. */
winnow__string_packing winnow__string_packing_of(const winnow__call *call);
uint64_t winnow__string_room(const winnow__query *query);

/* Bytes of memory for the functions of strings_host.c and strings_cuda.c. */
size_t winnow__strings_host_bytes(const winnow__query *query);
winnow__sink_host winnow__pack_strings_on_host;
size_t winnow__strings_device_bytes(const winnow__query *query);
winnow__sink_device winnow__pack_strings_on_device;
