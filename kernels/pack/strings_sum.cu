/*
 * The bytes of a selection's strings, in each tile and before each tile.
 *
 * A warp sums a tile. The scan is that of kernels/selection/scan.cu with wider
 * numbers: a block adds all sums before its own tiles and waits for no block.
 * If offsets descend, a sum may exceed 64 bits. So upper and lower halves are
 * added separately, and larger sums become the largest offset.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "strings.cuh"
#include "kernels/selection/make.cuh"

namespace winnow::pack {

/* ------------------------------------------------------------ sums of tiles */

/* The offsets of 32 items and the next one. */
template <class Offset>
struct WordOffsets {
    Offset own, last;

    __device__ __forceinline__ void load(const Offset *offsets, uint32_t keep) {
        own = last = 0;
        if ((keep | keep << 1) >> lane_id() & 1)
            own = offsets[lane_id()];
        if (lane_id() == WARP - 1 && keep >> 31)
            last = offsets[WARP];
    }

    __device__ __forceinline__ Offset length(uint32_t keep,
                                             uint64_t size) const {
        const Offset next = __shfl_down_sync(ALL_LANES, own, 1);
        const String<Offset> string(own, lane_id() == WARP - 1 ? last : next,
                                    size);
        return keep >> lane_id() & 1 ? string.bytes : 0;
    }
};

template <class Offset>
__global__ void __launch_bounds__(SOURCE_THREADS)
    sum_strings(const __grid_constant__ winnow__strings_args args) {
    const uint64_t tile = tile_of_warp();
    /* The next kernels in the stream add to it, and read it. */
    if (blockIdx.x == 0 && threadIdx.x == 0)
        *args.part_number = 0;
    if (tile >= args.from.tiles)
        return;
    const uint4 *const vectors =
        reinterpret_cast<const uint4 *>(args.from.keep) + tile * WARP;
    const Offset *const offsets =
        static_cast<const Offset *>(args.offsets) + tile * TILE_ITEMS;
    unsigned long long sum_of_lane = 0;
#pragma unroll 2
    for (unsigned int v = 0; v < WARP; v++) {
        const uint4 four = vectors[v];
        const uint32_t words[4] = {four.x, four.y, four.z, four.w};
        WordOffsets<Offset> of[4];
#pragma unroll
        for (unsigned int i = 0; i < 4; i++)
            of[i].load(offsets + (4 * v + i) * 32, words[i]);
#pragma unroll
        for (unsigned int i = 0; i < 4; i++)
            sum_of_lane += of[i].length(words[i], args.size);
    }
    const unsigned long long total = sum(sum_of_lane);
    if (lane_id() == 0)
        args.sums[tile] = total;
}

/* ----------------------------------------------------------------- the scan */

constexpr unsigned int SCAN_THREADS = WINNOW__SCAN_THREADS;

/* A sum of up to 2^30 numbers below 2^60. */
struct LargeSum {
    uint64_t high, low;

    __device__ __forceinline__ explicit LargeSum(uint64_t number)
        : high(number >> 32), low(number & 0xffffffff) {
    }

    __device__ __forceinline__ void operator+=(const LargeSum &other) {
        high += other.high;
        low += other.low;
    }

    /* The sum, at most 2^63 - 1. */
    __device__ __forceinline__ uint64_t number() const {
        const uint64_t all = high + (low >> 32);
        return all >> 31 != 0 ? INT64_MAX : all << 32 | (low & 0xffffffff);
    }
};

struct ScanShared {
    WarpSums<uint64_t, SCAN_THREADS / WARP> high, low;
};

/* The sums over the threads before this one, and over all. By all threads; one
 * barrier. */
__device__ __forceinline__ LargeSum exclusive_sum(const LargeSum &x,
                                                  ScanShared &shared,
                                                  LargeSum *total_p) {
    LargeSum upto(0);
    upto.high = inclusive_sum(x.high);
    upto.low = inclusive_sum(x.low);
    shared.high.write(upto.high, WARP - 1);
    shared.low.write(upto.low, WARP - 1);
    __syncthreads();
    LargeSum before(0);
    before.high = shared.high.before(&total_p->high) + upto.high - x.high;
    before.low = shared.low.before(&total_p->low) + upto.low - x.low;
    return before;
}

__global__ void __launch_bounds__(SCAN_THREADS)
    scan_strings(const __grid_constant__ winnow__strings_args args) {
    WINNOW__SHARED(shared, ScanShared);
    const uint64_t tiles = args.from.tiles;
    const uint64_t first = blockIdx.x * args.tiles_per_block;
    LargeSum mine(0), before(0);
#pragma unroll 8 /* loads in flight together */
    for (uint64_t tile = threadIdx.x; tile < first; tile += SCAN_THREADS)
        mine += LargeSum(args.sums[tile]);
    exclusive_sum(mine, shared, &before);
    /* The number of tiles has a `before`, too: the total. */
    for (uint64_t step = first;
         step <= tiles && step < first + args.tiles_per_block;
         step += SCAN_THREADS) {
        const uint64_t tile = step + threadIdx.x;
        LargeSum total(0);
        __syncthreads(); /* shared is used again */
        LargeSum here = exclusive_sum(
            LargeSum(tile < tiles ? args.sums[tile] : 0), shared, &total);
        here += before;
        if (tile <= tiles)
            args.before[tile] = here.number();
        before += total;
    }
}

} // namespace winnow::pack

/* Offsets of 4 and of 8 bytes. */
WINNOW__FOR_HOST(winnow__sum_strings[2]) = {
    WINNOW__SOURCE(winnow::pack::sum_strings<uint32_t>),
    WINNOW__SOURCE(winnow::pack::sum_strings<unsigned long long>)};
WINNOW__FOR_HOST(winnow__scan_strings) = WINNOW__ENTRY(
    winnow::pack::SCAN_THREADS, 0, 0, 0, winnow::pack::scan_strings);
