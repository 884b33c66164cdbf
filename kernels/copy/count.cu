/*
 * count_if: the number of elements that pass. A block counts many tiles, or one
 * tile of a small input, and adds its count to the cursor once.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "kernels/core/block_sum.cuh"
#include "kernels/core/cursor.cuh"
#include "kernels/tile/blocked.cuh"

namespace winnow::copy {

using namespace tile;

constexpr unsigned int THREADS = 256;
constexpr unsigned int BLOCKS = WINNOW__COUNT_BLOCKS;

/* There are few blocks, so that nearly all bits of the cursor count survivors:
 * enough for any array. */
constexpr unsigned int COUNT_BITS = 52;

template <class Select, unsigned int VECTORS>
__global__ void __launch_bounds__(THREADS, BLOCKS)
    count(const __grid_constant__ winnow__args args) {
    using TileType = Tile<Select, THREADS, VECTORS>;

    wait_for_input(args);
    const Source<Select> source(args);
    uint64_t kept = 0;
    for (uint64_t tile = blockIdx.x; tile * TileType::ITEMS < source.end;
         tile += gridDim.x) {
        TileType loaded;
        loaded.load(source, tile);
        kept += loaded.kept();
    }
    trigger_dependents();
    kept = block_sum<THREADS>(kept, THREADS);
    if (threadIdx.x != 0)
        return;
    const Offsets offsets = take_any_offsets<COUNT_BITS>(args, kept);
    if (offsets.last)
        store_count(args, offsets.first + kept);
}

} // namespace winnow::copy

#define ENTRY(U, KIND, VECTORS)                                                \
    WINNOW__ENTRY(winnow::copy::THREADS, winnow::copy::THREADS *VECTORS * 16,  \
                  16, 0,                                                       \
                  winnow::copy::count<winnow::Compare<U, KIND>, VECTORS>)

#define SMALL(U, KIND) ENTRY(U, KIND, 1)
WINNOW__TABLE(winnow__count_small, WINNOW__ANY_KIND(SMALL));
#define MEDIUM(U, KIND) ENTRY(U, KIND, 4)
WINNOW__TABLE(winnow__count_medium, WINNOW__EACH_KIND(MEDIUM));
#define LARGE(U, KIND) ENTRY(U, KIND, 8)
WINNOW__TABLE(winnow__count_large, WINNOW__EACH_KIND(LARGE));
