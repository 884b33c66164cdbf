/*
 * How a strategy offers its kernels to the host: a table by element size and
 * kind of test, with C linkage, of host stubs that lib/cuda_launch.c starts.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_KERNELS_TABLE_CUH
#define WINNOW_KERNELS_TABLE_CUH

#include "args.h"

#include <cstdint>

#define WINNOW__ENTRY(KERNEL, U, KIND, THREADS, TILE_BYTES)                    \
    { reinterpret_cast<const void *>(&KERNEL<U, KIND>), THREADS, TILE_BYTES }

/* No type of one byte needs a key: those kernels are not built. */
#define WINNOW__TABLE(NAME, KERNEL, THREADS, TILE_BYTES)                       \
    extern "C" const winnow__kernel NAME[WINNOW__SIZES][WINNOW__TEST_KINDS];   \
    const winnow__kernel NAME[WINNOW__SIZES][WINNOW__TEST_KINDS] = {           \
        {WINNOW__ENTRY(KERNEL, uint8_t, WINNOW__INTERVAL, THREADS,             \
                       TILE_BYTES),                                            \
         {nullptr, 0, 0},                                                      \
         WINNOW__ENTRY(KERNEL, uint8_t, WINNOW__BITS, THREADS, TILE_BYTES)},   \
        WINNOW__ROW(KERNEL, uint16_t, THREADS, TILE_BYTES),                    \
        WINNOW__ROW(KERNEL, uint32_t, THREADS, TILE_BYTES),                    \
        WINNOW__ROW(KERNEL, uint64_t, THREADS, TILE_BYTES),                    \
    }

#define WINNOW__ROW(KERNEL, U, THREADS, TILE_BYTES)                            \
    {                                                                          \
        WINNOW__ENTRY(KERNEL, U, WINNOW__INTERVAL, THREADS, TILE_BYTES),       \
            WINNOW__ENTRY(KERNEL, U, WINNOW__KEYED, THREADS, TILE_BYTES),      \
            WINNOW__ENTRY(KERNEL, U, WINNOW__BITS, THREADS, TILE_BYTES)        \
    }

#endif
