/*
 * Device functions for kernels of your own: warp-aggregated atomics, sums by
 * key, prefix sums, compaction, and atomics made of compare-and-swap.
 *
 * These headers need no library, and include nothing of the C++ library or of
 * the CUDA runtime. Both nvcc and NVRTC compile them. They need C++17 and
 * compute capability 7.0. winnow_device(7) is the manual.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_DEVICE_CUH
#define WINNOW_DEVICE_CUH

#include "device/aggregate.cuh" /* aggregated_add(), block_add() */
#include "device/atomic.cuh"    /* atomic_add_cas(), atomic_update() */
#include "device/block.cuh"     /* block_exclusive_scan(), block_scan_array() */
#include "device/compact.cuh"   /* compact_warp(), compact_tile() */
#include "device/peers.cuh"     /* match_peers(), accumulate_by_key() */
#include "device/scan.cuh"      /* warp_inclusive_scan() in three forms */
#include "software_atomic.cuh"  /* software_atomic_add() */

#endif
