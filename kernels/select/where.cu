/*
 * The kernels of where.cuh: with and without sets of values, in the order of
 * the text or of a sample, with the program in the argument or stored.
 *
 * Shared memory contains the saved sets of live items, then the lists of a
 * stored program, then the tables that have a place there. If a block copies
 * lists or tables, each warp makes more than one tile.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "where_sets.cuh"

namespace winnow::select {

template <bool ORDERED>
__global__ void __launch_bounds__(SOURCE_THREADS, WHERE_BLOCKS)
    select_where(const __grid_constant__ winnow__select_where_args args) {
    WINNOW__DYNAMIC_SHARED(shared);
    make_tiles(args.to, [&](uint64_t tile) {
        const Lists program(args, nullptr);
        Saved saved(shared, args.depth);
        decide_tile<Tests>(program, ops_of<ORDERED>(program), tile, saved,
                           Tests::Shared());
    });
}

__device__ __forceinline__ void copy_lists(const winnow__where_stored &stored,
                                           unsigned char *shared) {
    const uint4 *const from = reinterpret_cast<const uint4 *>(stored.from);
    uint4 *const to = reinterpret_cast<uint4 *>(shared);
#pragma unroll 1
    for (uint32_t i = threadIdx.x; i < stored.bytes / sizeof(uint4);
         i += SOURCE_THREADS)
        to[i] = __ldg(from + i);
}

template <class Program, bool ORDERED>
__global__ void __launch_bounds__(SOURCE_THREADS, WHERE_BLOCKS)
    select_where_sets(const __grid_constant__ winnow__select_where_args args) {
    WINNOW__DYNAMIC_SHARED(shared);
    const Program program(args,
                          shared + args.depth * WINNOW__WHERE_SAVED_BYTES);
    if (Program::STORED) {
        copy_lists(args.stored,
                   shared + args.depth * WINNOW__WHERE_SAVED_BYTES);
        __syncthreads(); /* all threads have copied, before any reads */
    }
    for (unsigned int i = 0; i < args.sets; i++)
        set::copy_table(program.sets()[i], shared);
    __syncthreads();
    Saved saved(shared, args.depth);
    const auto ops = ops_of<ORDERED>(program);
    /* 32 bits hold the number of a tile (lib/selection/format.h). */
    const unsigned int tiles = static_cast<unsigned int>(args.to.tiles);
#pragma unroll 1
    for (unsigned int tile = static_cast<unsigned int>(tile_of_warp());
         tile < tiles; tile += gridDim.x * SOURCE_WARPS)
        decide_tile<TestsOrSet>(program, ops, tile, saved,
                                {program.sets(), shared});
    scan_few(args.to);
}

__global__ void
store_lists(const __grid_constant__ winnow__store_lists_args args) {
    for (unsigned int i = threadIdx.x; i < args.words; i += SOURCE_THREADS)
        args.to[i] = args.from[i];
}

static_assert(sizeof(winnow__select_where_args) <= 4096 &&
                  sizeof(winnow__store_lists_args) <= 4096,
              "each driver takes these arguments");

} // namespace winnow::select

/* Indexed by WINNOW__WHERE_WITH_SETS and the other flags. */
WINNOW__FOR_HOST(winnow__select_where[WINNOW__WHERE_KERNELS]) = {
    WINNOW__SOURCE(winnow::select::select_where<false>),
    WINNOW__SOURCE(
        winnow::select::select_where_sets<winnow::select::Lists, false>),
    WINNOW__SOURCE(winnow::select::select_where<true>),
    WINNOW__SOURCE(
        winnow::select::select_where_sets<winnow::select::Lists, true>),
    WINNOW__SOURCE(
        winnow::select::select_where_sets<winnow::select::StoredLists, false>)};

WINNOW__FOR_HOST(winnow__store_lists) =
    WINNOW__SOURCE(winnow::select::store_lists);
