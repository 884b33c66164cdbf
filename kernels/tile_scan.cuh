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
 * been counted, that is, loaded; and no survivor moves towards the end. Each
 * state that is published is then a release, and each that is observed an
 * acquire, at the scope of the device (publish.cuh).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_KERNELS_TILE_SCAN_CUH
#define WINNOW_KERNELS_TILE_SCAN_CUH

#include "arguments.cuh"
#include "overlap.cuh"
#include "place.cuh"
#include "ptx.cuh"
#include "publish.cuh"
#include "stage.cuh"

namespace winnow {

/* What a tile has published: nothing, its count, or the count up to its end. */
constexpr unsigned int STATE_BITS = 62;
constexpr uint64_t COUNTED = uint64_t(1) << STATE_BITS;
constexpr uint64_t PLACED = uint64_t(2) << STATE_BITS;
constexpr uint64_t STATE_VALUE = COUNTED - 1;

/*
 * The survivors before a tile, by one warp. It looks at WINDOWS times 32
 * predecessors at a time, all loads under way together; the first of them
 * begin when it is made, so that other work may come before finish().
 */
template <unsigned int WINDOWS>
class LookBack {
  public:
    __device__ __forceinline__ LookBack(const unsigned long long *states,
                                        unsigned int tile)
        : states_(states), nearest_(static_cast<int64_t>(tile) - 1) {
        observe_all();
    }

    __device__ __forceinline__ uint64_t finish() {
        uint64_t before = 0;
        for (;;) {
#pragma unroll
            for (unsigned int w = 0; w < WINDOWS; w++)
                if (add_window(w, before))
                    return before;
            nearest_ -= WINDOWS * WARP;
            observe_all();
        }
    }

  private:
    __device__ __forceinline__ int64_t index(unsigned int w) const {
        return nearest_ - w * WARP - lane_id();
    }

    __device__ __forceinline__ void observe_all() {
#pragma unroll
        for (unsigned int w = 0; w < WINDOWS; w++)
            seen_[w] =
                index(w) >= 0 ? load_relaxed(states_ + index(w)) : PLACED;
    }

    /* Waits until all of it is there that is wanted. True: that was all. */
    __device__ __forceinline__ bool add_window(unsigned int w,
                                               uint64_t &before) {
        unsigned int placed, wanted;
        for (;;) {
            /* Lanes up to the nearest that is placed are wanted. */
            placed = __ballot_sync(ALL_LANES, seen_[w] >= PLACED);
            wanted = placed != 0 ? placed ^ (placed - 1) : ALL_LANES;
            if ((__ballot_sync(ALL_LANES, seen_[w] < COUNTED) & wanted) == 0)
                break;
            if (seen_[w] < COUNTED)
                seen_[w] = load_relaxed(states_ + index(w));
        }
        const bool counts = wanted >> lane_id() & 1 && seen_[w] < PLACED;
        before += sum(counts ? static_cast<unsigned int>(seen_[w]) : 0);
        if (placed == 0)
            return false;
        before +=
            __shfl_sync(ALL_LANES, seen_[w], __ffs(placed) - 1) & STATE_VALUE;
        return true;
    }

    const unsigned long long *states_;
    int64_t nearest_;
    uint64_t seen_[WINDOWS];
};

/* A block: the workers, who have a tile, and one warp more, the scanner. */
template <class Tuning>
constexpr unsigned int BLOCK_THREADS = Tuning::THREADS + WARP;

/* Its dynamic shared memory: a tile is staged while the last is placed. */
template <class Tuning>
constexpr unsigned int STAGE_BYTES = 2 * Tuning::TILE_BYTES;

/*
 * They meet twice for every tile: when the workers have counted it, for which
 * the scanner does not wait; and when they have staged it and the scanner has
 * found the place of the tile before. What they tell each other is there twice,
 * by turns: what one has yet to read, the other may be writing for the next.
 */
enum Barrier {
    COUNTED_BARRIER = 1,
    STAGED_BARRIER = 2
};

template <class Tuning>
struct Exchange {
    WarpCounts<Tuning::THREADS> counts[2]; /* of a tile's survivors */
    uint64_t position[2];                  /* where they go: the answer */
    unsigned int ticket[2];                /* the next tile */
};

/* Called tiles + gridDim.x times in all, the last of which leaves the cursor
 * as it was found. Relaxed: a ticket says nothing of other memory. */
__device__ __forceinline__ unsigned int take_ticket(const winnow__args &args,
                                                    unsigned int tiles) {
    const unsigned int taken = atomicAdd(&args.cursor->blocks_done, 1u);
    if (taken == tiles + gridDim.x - 1)
        store_relaxed(&args.cursor->blocks_done, 0);
    return taken;
}

/*
 * The scanner. A ticket is taken as late as can be without anyone waiting for
 * it: the longer a block holds one before it counts the tile, the farther the
 * others have to look back.
 */
template <class Tuning>
__device__ __forceinline__ void
scan(const winnow__args &args, unsigned int tiles, Exchange<Tuning> &exchange,
     unsigned int current) {
    constexpr unsigned int BLOCK = BLOCK_THREADS<Tuning>;
    const bool in_place = is_in_place(args);
    unsigned int previous = tiles, previous_total = 0;
    for (unsigned int turn = 0;; turn ^= 1) {
        const bool more = current < tiles, looks = previous < tiles;
        unsigned int next = tiles;
        if (more && lane_id() == 0)
            next = take_ticket(args, tiles);
        LookBack<Tuning::WINDOWS> look(args.states, looks ? previous : 0);
        if (more) {
            if (lane_id() == 0)
                exchange.ticket[turn] = next;
            arrive<BLOCK>(COUNTED_BARRIER);
        }
        if (looks) {
            const uint64_t before = look.finish();
            acquire_loads(in_place);
            /* A later tile that looks no further back than this one acquires
             * from lane 0 what all lanes did: so lane 0 comes after them. */
            if (in_place)
                __syncwarp();
            if (lane_id() == 0) {
                const uint64_t after = before + previous_total;
                release_loads(in_place);
                store_relaxed(args.states + previous, PLACED | after);
                exchange.position[turn ^ 1] = before;
                if (previous == tiles - 1)
                    *args.count = after;
            }
        }
        barrier<BLOCK>(STAGED_BARRIER);
        if (!more)
            break;
        previous = current;
        previous_total = exchange.counts[turn].total();
        current = exchange.ticket[turn];
    }
}

/* The workers. */
template <class U, winnow__test_kind KIND, class Tuning>
__device__ __forceinline__ void
work(const winnow__args &args, unsigned int tiles, Exchange<Tuning> &exchange,
     unsigned int current) {
    constexpr unsigned int THREADS = Tuning::THREADS;
    constexpr unsigned int BLOCK = BLOCK_THREADS<Tuning>;
    using TileType = Tile<U, THREADS, Tuning::VECTORS>;
    WINNOW__DYNAMIC_SHARED(stages);
    const auto staged = [&](unsigned int turn) {
        return reinterpret_cast<U *>(stages) + turn * TileType::ITEMS;
    };
    const Input<U> input(args);
    const VectorPredicate<U, KIND> passes(args.test);
    unsigned int previous_total = 0;
    TileType tile;
    if (current < tiles)
        tile.fetch(input, current);
    for (unsigned int turn = 0;; turn ^= 1) {
        unsigned int total = 0, next = tiles;
        if (current < tiles) {
            tile.test(input, current, passes);
            exchange.counts[turn].write(sum(tile.kept()));
            barrier<BLOCK>(COUNTED_BARRIER);
            total = exchange.counts[turn].total();
            if (threadIdx.x == 0) {
                release_loads(is_in_place(args));
                store_relaxed(args.states + current,
                              (current == 0 ? PLACED : COUNTED) | total);
            }
            StableRank<TileType> rank(tile, exchange.counts[turn]);
            if (total != 0)
                stage<Tuning>(staged(turn), tile, rank);
            next = exchange.ticket[turn];
            if (next < tiles)
                tile.fetch(input, next);
        }
        barrier<BLOCK>(STAGED_BARRIER);
        if (previous_total != 0)
            /* There are no registers for stores of 16 bytes. */
            place_staged<U, THREADS, uint2>(args, exchange.position[turn ^ 1],
                                            staged(turn ^ 1), previous_total);
        if (current >= tiles)
            break;
        previous_total = total;
        current = next;
    }
}

template <class U, winnow__test_kind KIND, class Tuning>
__device__ __forceinline__ void tile_scan(const winnow__args &args) {
    using TileType = Tile<U, Tuning::THREADS, Tuning::VECTORS>;
    WINNOW__SHARED(exchange, Exchange<Tuning>);

    wait_for_stream();
    tell_strategy(args);
    const unsigned int tiles = static_cast<unsigned int>(
        (Input<U>(args).end + TileType::ITEMS - 1) / TileType::ITEMS);
    if (threadIdx.x == 0)
        exchange.ticket[1] = take_ticket(args, tiles);
    __syncthreads();
    const unsigned int first = exchange.ticket[1];
    if (warp_id() == Tuning::THREADS / WARP)
        scan<Tuning>(args, tiles, exchange, first);
    else
        work<U, KIND, Tuning>(args, tiles, exchange, first);
}

} // namespace winnow

#endif
