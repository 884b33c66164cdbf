/*
 * How a strategy offers its kernels to the host: a table by element size and
 * kind of test, with C linkage, of host stubs that lib/cuda_launch.c starts.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_KERNELS_TABLE_CUH
#define WINNOW_KERNELS_TABLE_CUH

#include "args.h"
#include "ptx.cuh"

#include <cstdint>

/* WINNOW__TABLE(NAME, ENTRY): ENTRY(U, KIND) is a macro that makes one row. */
#define WINNOW__TABLE(NAME, ENTRY)                                             \
    extern "C" const winnow__kernel NAME[WINNOW__SIZES][WINNOW__TEST_KINDS];   \
    const winnow__kernel NAME[WINNOW__SIZES][WINNOW__TEST_KINDS] = {           \
        /* No type of one byte needs a key: that kernel is not built. */       \
        {ENTRY(uint8_t, WINNOW__INTERVAL), {}, ENTRY(uint8_t, WINNOW__BITS)},  \
        {ENTRY(uint16_t, WINNOW__INTERVAL), ENTRY(uint16_t, WINNOW__KEYED),    \
         ENTRY(uint16_t, WINNOW__BITS)},                                       \
        {ENTRY(uint32_t, WINNOW__INTERVAL), ENTRY(uint32_t, WINNOW__KEYED),    \
         ENTRY(uint32_t, WINNOW__BITS)},                                       \
        {ENTRY(uint64_t, WINNOW__INTERVAL), ENTRY(uint64_t, WINNOW__KEYED),    \
         ENTRY(uint64_t, WINNOW__BITS)},                                       \
    }

/* A row: the members of winnow__kernel but the first, then the kernel. */
#define WINNOW__ROW(THREADS, TILE_BYTES, VECTOR_BYTES, SHARED_BYTES, ...)      \
    {                                                                          \
        WINNOW__KERNEL(__VA_ARGS__), THREADS, TILE_BYTES, VECTOR_BYTES,        \
            SHARED_BYTES                                                       \
    }

#endif
