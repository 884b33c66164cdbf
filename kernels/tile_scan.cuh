/*
 * WINNOW_TILE_SCAN: stable, in one pass over the input.
 *
 * Tiles find their places by decoupled look-back (D. Merrill, M. Garland,
 * "Single-pass Parallel Prefix Scan with Decoupled Look-back", 2016): each
 * publishes its count, then sums those of its predecessors back to one that
 * knows its place. What is ours is when: a block stages a tile's survivors in
 * shared memory and begins to load its next one, while one warp of it, the
 * scanner, looks back for the first. When the next tile has been staged too,
 * the first one's place is known as a rule.
 *
 * No number of blocks need be resident at once. Blocks take tiles by tickets,
 * in the order in which they come for them, and a tile waits only for tiles
 * with lower tickets to be counted, all of which blocks have that run already.
 * Of those that are not counted yet the lowest waits for nothing: what its
 * block looks back for meanwhile is a tile before it, whose predecessors are
 * all counted.
 *
 * In place is safe: a tile's place is known only when every tile before it has
 * been counted, that is, loaded; and no survivor moves towards the end.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_KERNELS_TILE_SCAN_CUH
#define WINNOW_KERNELS_TILE_SCAN_CUH

#include "clear.cuh"
#include "cursor.cuh"
#include "place.cuh"

namespace winnow {

/* What a tile has published: nothing, its count, or the count up to its end. */
constexpr unsigned int STATE_BITS = 62;
constexpr uint64_t COUNTED = uint64_t(1) << STATE_BITS;
constexpr uint64_t PLACED = uint64_t(2) << STATE_BITS;
constexpr uint64_t STATE_VALUE = COUNTED - 1;

__device__ __forceinline__ void publish(unsigned long long *state,
                                        uint64_t value) {
    asm volatile("st.relaxed.gpu.global.u64 [%0], %1;"
                 :
                 : "l"(state), "l"(value)
                 : "memory");
}

__device__ __forceinline__ uint64_t observe(const unsigned long long *state) {
    uint64_t value;
    asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];"
                 : "=l"(value)
                 : "l"(state)
                 : "memory");
    return value;
}

/*
 * The survivors before `tile`, by one warp. It looks at WINDOWS times 32
 * predecessors at a time, all loads under way together.
 */
template <unsigned int WINDOWS>
__device__ __forceinline__ uint64_t look_back(const unsigned long long *states,
                                              int64_t tile) {
    uint64_t before = 0;
    for (int64_t nearest = tile - 1;; nearest -= WINDOWS * WARP) {
        uint64_t seen[WINDOWS];
#pragma unroll
        for (unsigned int w = 0; w < WINDOWS; w++) {
            const int64_t i = nearest - w * WARP - lane_id();
            seen[w] = i >= 0 ? observe(states + i) : PLACED;
        }
#pragma unroll
        for (unsigned int w = 0; w < WINDOWS; w++) {
            const int64_t i = nearest - w * WARP - lane_id();
            unsigned int placed, wanted;
            for (;;) {
                /* Lanes up to the nearest that is placed are wanted. */
                placed = __ballot_sync(ALL_LANES, seen[w] >= PLACED);
                wanted = placed != 0 ? placed ^ (placed - 1) : ALL_LANES;
                if ((__ballot_sync(ALL_LANES, seen[w] < COUNTED) & wanted) == 0)
                    break;
                if (seen[w] < COUNTED)
                    seen[w] = observe(states + i);
            }
            const bool counts = wanted >> lane_id() & 1 && seen[w] < PLACED;
            before += sum(counts ? static_cast<unsigned int>(seen[w]) : 0);
            if (placed != 0)
                return before +
                       (__shfl_sync(ALL_LANES, seen[w], __ffs(placed) - 1) &
                        STATE_VALUE);
        }
    }
}

/* A block: the threads that have a tile, and the scanner. */
template <class Tuning>
constexpr unsigned int BLOCK_THREADS = Tuning::THREADS + WARP;

/* Its dynamic shared memory: a tile is staged while the last is placed. */
template <class Tuning>
constexpr unsigned int STAGE_BYTES = 2 * Tuning::TILE_BYTES;

/* What the two parts of a block tell each other about a tile. */
struct Exchange {
    unsigned int tile; /* its number; no tile: the end */
    unsigned int total;
    uint64_t position; /* of its survivors: the answer */
};

/*
 * The scanner, one warp of a block: finds the place of one tile after another.
 * Its turns alternate with those of the other threads: while they go through a
 * tile it looks back for the one before.
 */
template <class Tuning>
__device__ __forceinline__ void scan_tiles(const winnow__args &args,
                                           unsigned int tiles,
                                           Exchange (&exchange)[2]) {
    for (unsigned int turn = 0;; turn ^= 1) {
        barrier<BLOCK_THREADS<Tuning>>(2);
        Exchange &e = exchange[turn];
        if (e.tile >= tiles)
            break;
        const uint64_t before = look_back<Tuning::WINDOWS>(args.states, e.tile);
        if (lane_id() == 0) {
            const uint64_t after = before + e.total;
            publish(args.states + e.tile, PLACED | after);
            e.position = before;
            if (e.tile == tiles - 1)
                *args.count = after;
        }
    }
}

template <class U, winnow__test_kind KIND, class Tuning>
__device__ __forceinline__ void tile_scan(const winnow__args &args) {
    constexpr unsigned int THREADS = Tuning::THREADS;
    constexpr unsigned int VECTORS = Tuning::VECTORS;
    using TileType = Tile<U, THREADS, VECTORS>;
    using RankType = StableRank<U, THREADS, VECTORS>;
    /* Everything in shared memory is there twice: what this tile writes, a
       slow warp may still be reading of the last. */
    extern __shared__ __align__(16) unsigned char stages[];
    __shared__ typename RankType::Shared shared[2];
    __shared__ Exchange exchange[2];
    __shared__ unsigned int ticket[2];

    tell_strategy(args);
    const Input<U> input(args);
    const VectorPredicate<U, KIND> passes(args.test);
    const bool in_place = args.in == args.out;
    const unsigned int tiles = static_cast<unsigned int>(
        (input.end + TileType::ITEMS - 1) / TileType::ITEMS);
    const auto take_ticket = [&] {
        const unsigned int taken = atomicAdd(&args.cursor->blocks_done, 1u);
        if (taken == tiles + gridDim.x - 1) /* the last that anyone takes */
            args.cursor->blocks_done = 0;
        return taken;
    };

    wait_for_clear(); /* all threads: each may be the first to look */
    if (threadIdx.x == 0)
        ticket[0] = take_ticket();
    __syncthreads();
    unsigned int current = ticket[0];
    if (warp_id() == THREADS / WARP) {
        scan_tiles<Tuning>(args, tiles, exchange);
        return;
    }
    unsigned int previous_total = 0;
    TileType tile;
    if (current < tiles)
        tile.fetch(input, current);
    for (unsigned int turn = 0;; turn ^= 1) {
        unsigned int total = 0, next = tiles;
        if (current < tiles) {
            if (threadIdx.x == THREADS - 1)
                ticket[turn ^ 1] = take_ticket();
            tile.test(input, current, passes);
            RankType rank(tile, shared[turn]);
            total = rank.total;
            if (threadIdx.x == 0) {
                if (in_place) /* the loads come before what this allows */
                    __threadfence();
                publish(args.states + current,
                        (current == 0 ? PLACED : COUNTED) | total);
            }
            if (total != 0)
                stage<Tuning>(reinterpret_cast<U *>(stages) +
                                  turn * TileType::ITEMS,
                              tile, rank);
            next = ticket[turn ^ 1];
            if (next < tiles)
                tile.fetch(input, next);
        }
        if (threadIdx.x == 0) {
            exchange[turn].tile = current;
            exchange[turn].total = total;
        }
        /* The scanner takes this tile, and gives the place of the last. */
        barrier<BLOCK_THREADS<Tuning>>(2);
        if (previous_total != 0)
            place_staged<U, THREADS>(args, exchange[turn ^ 1].position,
                                     reinterpret_cast<U *>(stages) +
                                         (turn ^ 1) * TileType::ITEMS,
                                     previous_total);
        if (current >= tiles)
            break;
        previous_total = total;
        current = next;
    }
}

} // namespace winnow

#endif
