/*
 * WINNOW_TILE_SCAN for inputs of few tiles: one launch, and nothing to clear.
 *
 * Every block tells all later ones the count of its tile, and hears from all
 * earlier ones. So all blocks have to be resident together: the host asks how
 * many can be, and the launch is a cooperative one, which is refused otherwise;
 * then tile_scan.cuh does the work.
 *
 * To tell is to add to a word that others read, and does not take long: it
 * waits for nothing. Reading the counts of all earlier blocks would take many
 * loads, from lines of memory that all blocks read. That there be few additions
 * too, blocks meet in groups: a block tells each later one of its own group,
 * and each later group as a whole. So a block reads two words.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "arguments.cuh"
#include "overlap.cuh"
#include "place.cuh"
#include "publish.cuh"
#include "row.cuh"
#include "table.cuh"
#include "tuning.cuh"

namespace winnow {

constexpr unsigned int GROUP = WINNOW__GROUP;
static_assert(GROUP == WARP && WINNOW__MOST_RESIDENT <= GROUP * WARP,
              "a lane for each block of a group, and for each group");

/* A block's place in its group. */
__device__ __forceinline__ unsigned int place_in_group() {
    return blockIdx.x % GROUP;
}

__device__ __forceinline__ winnow__group &own_group(const winnow__args &args) {
    return args.groups[blockIdx.x / GROUP];
}

/* Words that blocks add to count survivors below, and who told them above. */
constexpr unsigned int SURVIVOR_BITS = WINNOW__SURVIVOR_BITS;

/* By the first two warps, when the tile has been counted. */
__device__ __forceinline__ void tell(const winnow__args &args,
                                     unsigned int total) {
    const uint64_t word = uint64_t(1) << SURVIVOR_BITS | total;
    const unsigned int lane = lane_id();
    finish_loads(args);
    if (warp_id() == 0) {
        const unsigned int block = blockIdx.x - place_in_group() + lane;
        if (block > blockIdx.x && block < gridDim.x)
            add(&own_group(args).told[lane], word);
    } else if (lane > blockIdx.x / GROUP && lane * GROUP < gridDim.x) {
        add(&args.groups[lane].before, word);
    }
}

/*
 * A moment, in cycles: for what is told from the most distant blocks to arrive.
 * Reads that come too early stand in its way.
 */
__device__ __forceinline__ void pause() {
    constexpr int CYCLES = 100;
    const long long start = clock64();
    while (clock64() - start < CYCLES) {
    }
}

/*
 * The survivors before this block's tile, of which it has `total`. By one
 * thread. `earlier` is what earlier launches told this group: what it is told
 * goes on counting from launch to launch, since no block knows when the others
 * have read it. The last of the group knows that all have read `earlier`: they
 * keep it in shared memory before the barrier after which they tell.
 */
__device__ __forceinline__ uint64_t hear(const winnow__args &args,
                                         uint64_t earlier, unsigned int total) {
    winnow__group &group = own_group(args);
    const unsigned int place = place_in_group();
    const auto lacks = [](uint64_t word, unsigned int blocks) {
        return word >> SURVIVOR_BITS != blocks;
    };
    if (gridDim.x > GROUP)
        pause();
    uint64_t told = observe(&group.told[place]);
    uint64_t before = observe(&group.before) - earlier;
    for (;;) {
        const bool more_told = lacks(told, place);
        const bool more_before = lacks(before, blockIdx.x - place);
        if (more_told)
            told = observe(&group.told[place]);
        if (more_before)
            before = observe(&group.before) - earlier;
        if (!more_told && !more_before)
            break;
    }
    group.told[place] = 0;
    const bool last = blockIdx.x == gridDim.x - 1;
    if (last || place == GROUP - 1)
        group.earlier = earlier + before;
    const uint64_t position =
        (told + before) & ((uint64_t(1) << SURVIVOR_BITS) - 1);
    if (last)
        *args.count = position + total;
    return position;
}

template <class U, winnow__test_kind KIND, class Tuning>
__device__ __forceinline__ void scan_tile(const winnow__args &args) {
    using TileType = Tile<U, Tuning::THREADS, Tuning::VECTORS>;
    extern __shared__ __align__(16) unsigned char stage_bytes[];
    Stage<U, Tuning> &staged =
        *reinterpret_cast<Stage<U, Tuning> *>(stage_bytes);
    __shared__ WarpCounts<Tuning::THREADS> counts;
    __shared__ uint64_t position, earlier;

    wait_for_stream();
    tell_strategy(args);
    const Input<U> input(args);
    TileType tile;
    tile.fetch(input, blockIdx.x);
    if (threadIdx.x == 0)
        earlier = own_group(args).earlier;
    tile.test(input, blockIdx.x, VectorPredicate<U, KIND>(args.test));
    let_next_begin();
    counts.write(sum(tile.kept()));
    __syncthreads();
    if (warp_id() < 2)
        tell(args, counts.total());
    StableRank<TileType> rank(tile, counts);
    if (threadIdx.x == 0)
        position = hear(args, earlier, rank.total);
    place_tile<Tuning>(args, position, staged, tile, rank);
}

/* One kernel for each size of tile. */
template <class U, winnow__test_kind KIND>
__global__ void __launch_bounds__(TileResident<U>::THREADS)
    tile_resident_small(const __grid_constant__ winnow__args args) {
    scan_tile<U, KIND, TileResident<U>>(args);
}

template <class U, winnow__test_kind KIND>
__global__ void __launch_bounds__(TileResidentLarge<U>::THREADS,
                                  resident(TileResidentLarge<U>::THREADS,
                                           TileResidentLarge<U>::BLOCKS))
    tile_resident_large(const __grid_constant__ winnow__args args) {
    scan_tile<U, KIND, TileResidentLarge<U>>(args);
}

template <class U, winnow__test_kind KIND, unsigned int ROWS>
__global__ void __launch_bounds__(ROW_THREADS)
    tile_resident_rows(const __grid_constant__ winnow__args args) {
    __shared__ WarpCounts<ROW_THREADS> counts;
    __shared__ uint64_t position, earlier;

    wait_for_stream();
    RowTile<U, ROWS> tile;
    tile.fetch(args, blockIdx.x);
    fetch_arguments(args);
    if (threadIdx.x == 0)
        earlier = own_group(args).earlier;
    tile.test(Predicate<U, KIND>(args.test));
    let_next_begin();
    counts.write(tile.kept());
    __syncthreads();
    const unsigned int total = counts.total();
    if (warp_id() < 2)
        tell(args, total);
    tile.rank(counts.before());
    if (threadIdx.x == 0)
        position = hear(args, earlier, total);
    __syncthreads();
    tile.put(args, position);
    tell_strategy(args);
}

} // namespace winnow

#define STAGED(KERNEL, TUNING, U, KIND)                                        \
    WINNOW__ROW(winnow::TUNING<U>::THREADS, winnow::TUNING<U>::TILE_BYTES, 16, \
                winnow::TUNING<U>::TILE_BYTES, winnow::KERNEL<U, KIND>)

#define SMALL(U, KIND) STAGED(tile_resident_small, TileResident, U, KIND)
WINNOW__TABLE(winnow__tile_resident_small, SMALL);

#define LARGE(U, KIND) STAGED(tile_resident_large, TileResidentLarge, U, KIND)
WINNOW__TABLE(winnow__tile_resident_large, LARGE);

#define ROWS(U, KIND, ROWS)                                                    \
    WINNOW__ROW_TILES(U, ROWS, winnow::tile_resident_rows<U, KIND, ROWS>)

#define ROWS_4(U, KIND) ROWS(U, KIND, 4)
WINNOW__TABLE(winnow__tile_resident_rows_4, ROWS_4);
#define ROWS_8(U, KIND) ROWS(U, KIND, 8)
WINNOW__TABLE(winnow__tile_resident_rows_8, ROWS_8);
#define ROWS_16(U, KIND) ROWS(U, KIND, 16)
WINNOW__TABLE(winnow__tile_resident_rows_16, ROWS_16);
