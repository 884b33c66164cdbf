/*
 * partition_by_key in any order: a pass of two, where the items of all parts
 * are known (exact.cuh).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "tile.cuh"

namespace winnow {
namespace partition {

template <class Shape>
__global__ void __launch_bounds__(Shape::THREADS,
                                  resident(Shape::THREADS,
                                           WINNOW__PARTITION_TILE_BLOCKS))
    scatter_exact(const __grid_constant__ winnow__partition_args args) {
    WINNOW__DYNAMIC_SHARED(shared);
    using Sums = Array<unsigned int, Shape::WARPS>;
    WINNOW__SHARED(sums, Sums);
    WINNOW__SHARED(chunk, Chunk);
    wait_for_stream();
    TileScatter<Shape, false> scatter(args, shared, sums.at);
    for (unsigned int number = blockIdx.x;; number += gridDim.x) {
        __syncthreads(); /* all are done with the chunk before */
        if (threadIdx.x == 0)
            chunk = Chunk(args, number);
        __syncthreads();
        if (!chunk.exists)
            break;
        scatter.run(chunk, number, 0);
    }
    trigger_dependents();
    scatter.wait();
}

} // namespace partition
} // namespace winnow

const winnow__kernel winnow__partition_scatter_exact[2][2] =
    WINNOW__REGION_TABLE(winnow::partition::scatter_exact, EXACT);
