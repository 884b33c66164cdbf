/*
 * Small inputs, for WINNOW_TILE_AGGREGATED and WINNOW_TILE_SCAN alike: one
 * launch, nothing in global memory to meet in, stable.
 *
 * All tiles belong to the blocks of one cluster. A block writes its count into
 * the shared memory of every other; after one cluster barrier, during which it
 * stages its survivors, each block sums those before its own. Devices without
 * clusters run it with a single block.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cursor.cuh"
#include "place.cuh"
#include "table.cuh"

#include <cooperative_groups.h>

namespace winnow {

template <class U, winnow__test_kind KIND>
__global__ void __launch_bounds__(TileCluster<U>::THREADS)
    tile_cluster(const __grid_constant__ winnow__args args) {
    using Tuning = TileCluster<U>;
    constexpr unsigned int THREADS = Tuning::THREADS;
    using TileType = Tile<U, THREADS, Tuning::VECTORS>;
    using RankType = StableRank<U, THREADS, Tuning::VECTORS>;
    __shared__ alignas(16) U staged[TileType::ITEMS];
    __shared__ WarpCounts<THREADS> warps;
    __shared__ unsigned int counts[WINNOW__MOST_CLUSTER];

    tell_strategy(args);
#if __CUDA_ARCH__ >= 900
    const auto cluster = cooperative_groups::this_cluster();
    cluster.barrier_arrive(); /* every block has begun: its memory is there */
#endif
    TileType tile;
    tile.load(Input<U>(args), blockIdx.x, VectorPredicate<U, KIND>(args.test));
    RankType rank;
    rank.count(tile, warps);
    __syncthreads();
    rank.finish(warps);
#if __CUDA_ARCH__ >= 900
    cluster.barrier_wait();
    if (threadIdx.x < gridDim.x)
        *cluster.map_shared_rank(&counts[blockIdx.x], threadIdx.x) = rank.total;
    cluster.barrier_arrive();
    stage<Tuning>(staged, tile, rank);
    cluster.barrier_wait();
#else
    if (threadIdx.x == 0)
        counts[0] = rank.total; /* the only block */
    stage<Tuning>(staged, tile, rank);
#endif
    /* What was staged came after the cluster's barrier had been arrived at. */
    __syncthreads();
    unsigned int before = 0, all = 0;
    for (unsigned int i = 0; i < gridDim.x; i++) {
        before += i < blockIdx.x ? counts[i] : 0;
        all += counts[i];
    }
    if (blockIdx.x == 0 && threadIdx.x == 0)
        *args.count = all;
    place_staged<U, THREADS>(args, before, staged, rank.total);
}

} // namespace winnow

#define ENTRY(U, KIND)                                                         \
    {                                                                          \
        WINNOW__STUB(winnow::tile_cluster, U, KIND),                           \
            winnow::TileCluster<U>::THREADS,                                   \
            winnow::TileCluster<U>::TILE_BYTES, 0                              \
    }
WINNOW__TABLE(winnow__tile_cluster, ENTRY);
