/*
 * partition_by_key in any order: scatters by tiles, to places that blocks
 * reserve where a sample says that digits begin (estimate.cuh). For
 * digits of up to 8 bits, none of which is dropped.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "tile.cuh"

namespace winnow {
namespace partition {

/* A chunk for each block. */
template <class Shape>
__global__ void __launch_bounds__(Shape::THREADS,
                                  resident(Shape::THREADS,
                                           WINNOW__PARTITION_TILE_BLOCKS))
    scatter_estimated(const __grid_constant__ winnow__partition_args args) {
    WINNOW__DYNAMIC_SHARED(shared);
    using Sums = Array<unsigned int, Shape::WARPS>;
    WINNOW__SHARED(sums, Sums);
    WINNOW__SHARED(long_sums, LongSums<Shape::WARPS>);
    WINNOW__SHARED(chunk, Chunk);
    wait_for_stream();
    if (args.estimate->exchange.usable == 0)
        return;
    TileScatter<Shape, false> scatter(args, shared, sums.at);
    scatter.load_regions();
    if (threadIdx.x == 0)
        chunk = Chunk(args, blockIdx.x);
    __syncthreads();
    scatter.run(chunk, blockIdx.x, 0);
    scatter.add_parts();
    trigger_dependents();
    scatter.wait();
    if (is_last_block(&args.estimate->exchange.scattering_blocks))
        settle(args, long_sums);
}

} // namespace partition
} // namespace winnow

const winnow__kernel winnow__partition_scatter_estimated[2][2] =
    WINNOW__REGION_TABLE(winnow::partition::scatter_estimated, ESTIMATED);
