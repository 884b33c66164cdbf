/*
 * WINNOW_TILE_SCAN: stable, in one pass over the input.
 *
 * Tiles find their offsets by decoupled look-back (kernels/tile/look_back.cuh).
 * The look-back overlaps with other work: a block stages a tile's survivors in
 * shared memory and loads its next tile, while one warp, the scanner, looks
 * back for the first tile. When the next tile has been staged, too, the first
 * one's offset is usually known.
 *
 * The lowest tile that is not counted yet waits for nothing: its block may look
 * back for its previous tile, but all predecessors of that tile are counted.
 *
 * In place is safe: a tile's offset is known only after every earlier tile was
 * counted, and so was loaded; and no survivor moves towards the end. Then each
 * published state is a release, and each observed state an acquire, at the
 * scope of the device (kernels/tile/publish.cuh).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "kernels/tile/select_field.cuh"
#include "kernels/tile/select_heads.cuh"
#include "kernels/tile/look_back.cuh"
#include "kernels/tile/sink_marked.cuh"
#include "kernels/tile/sink_parts.cuh"
#include "kernels/tile/publish.cuh"
#include "kernels/tile/sink_records.cuh"

namespace winnow::copy {

using namespace tile;

/* A block has workers, which process a tile, and one more warp, the scanner. */
template <class Tuning>
constexpr unsigned int BLOCK_THREADS = Tuning::THREADS + WARP;

/* Does the sink also write items that do not pass? */
template <class Sink>
constexpr bool HAS_REJECTS = false;
template <class U>
constexpr bool HAS_REJECTS<Parts<U>> = true;

/* Does the sink also write a selection of the items that pass? */
template <class Sink>
constexpr bool MARKS = false;
template <class U>
constexpr bool MARKS<Marked<U>> = true;

/* The input. A selection is of all n items (kernels/tile/sink_marked.cuh). */
template <class Select, class Sink>
__device__ __forceinline__ Source<Select> items_of(const winnow__args &args) {
    if constexpr (MARKS<Sink>)
        return Source<Select>(args, args.n);
    else
        return Source<Select>(args);
}

/* The number of items that are staged for a tile. */
template <class Sink, class Tuning>
constexpr unsigned int STAGED_ITEMS = Tuning::ITEMS;
template <class U, class Tuning>
constexpr unsigned int STAGED_ITEMS<Parts<U>, Tuning> =
    Tuning::ITEMS + Parts<U>::GAP;

/* Dynamic shared memory: a tile is staged while the one before is scattered. */
template <class Sink, class Tuning>
constexpr unsigned int STAGE_BYTES = 2 * STAGED_ITEMS<Sink, Tuning> *
                                     sizeof(typename Sink::Staged);

/*
 * Workers and scanner have two barriers for every tile. The first comes after
 * the workers have counted it; the scanner arrives but does not wait. The
 * second comes after they have staged it and the scanner has found the offset
 * of the tile before. Data is double-buffered: one side may write while the
 * other reads.
 */
enum Barrier {
    COUNTED_BARRIER = 1,
    STAGED_BARRIER = 2
};

template <class Sink, class Tuning>
struct Exchange {
    WarpCounts<Tuning::THREADS> counts[2]; /* of a tile's survivors */
    uint64_t offset[2];                    /* of the tile's survivors */
    unsigned int ticket[2];                /* the next tile */
};
template <class U, class Tuning>
struct Exchange<Marked<U>, Tuning> : Exchange<Values<U>, Tuning> {
    TileBegins<Tuning::ITEMS> begins[2];
};

/*
 * The scanner. It takes a ticket as late as it can without a wait of the
 * workers: the longer a block holds a ticket before it counts the tile, the
 * farther other blocks have to look back.
 */
template <class TileType, class Sink, class Tuning>
__device__ __forceinline__ void
scan(const winnow__args &args, unsigned int tiles,
     Exchange<Sink, Tuning> &exchange, unsigned int current) {
    constexpr unsigned int BLOCK = BLOCK_THREADS<Tuning>;
    const bool in_place = is_in_place(args);
    unsigned int previous = tiles, previous_total = 0;
    for (unsigned int phase = 0;; phase ^= 1) {
        const bool more = current < tiles, looks = previous < tiles;
        unsigned int next = tiles;
        if (more && lane_id() == 0)
            next = take_ticket(args, tiles);
        LookBack<Tuning::WINDOWS> look(args.look_back.states,
                                       looks ? previous : 0);
        if (more) {
            if (lane_id() == 0)
                exchange.ticket[phase] = next;
            arrive<BLOCK>(COUNTED_BARRIER);
        }
        if (looks) {
            const uint64_t before = look.finish();
            acquire_loads(in_place);
            /* A later tile may stop its look-back at this prefix, and acquires
             * from lane 0 what all lanes acquired: so lane 0 waits for them. */
            if (in_place)
                __syncwarp();
            if (lane_id() == 0) {
                const uint64_t after = before + previous_total;
                release_loads(in_place);
                store_relaxed(args.look_back.states + previous, PREFIX | after);
                exchange.offset[phase ^ 1] = before;
                if (previous == tiles - 1) {
                    store_count(args, after / TileType::RECORD);
                    if constexpr (HAS_REJECTS<Sink>)
                        if (args.sink.count != nullptr)
                            args.sink.count[1] = item_count(args) - after;
                }
            }
            if constexpr (MARKS<Sink>) {
                store_before<TileType>(args, previous, before,
                                       exchange.counts[phase ^ 1],
                                       exchange.begins[phase ^ 1]);
                if (previous == tiles - 1)
                    end_selection(args, before + previous_total);
            }
        }
        barrier<BLOCK>(STAGED_BARRIER);
        if (!more)
            break;
        previous = current;
        previous_total = exchange.counts[phase].total();
        current = exchange.ticket[phase];
    }
}

/* Stage a tile's survivors, and its rejects if the sink writes them. */
template <class Sink, class Tuning, class TileType, class Rank>
__device__ __forceinline__ void stage_tile(typename Sink::Staged *staged,
                                           const TileType &tile, Rank &rank,
                                           unsigned int ahead) {
    if constexpr (HAS_REJECTS<Sink>)
        Sink::stage(staged, tile, rank, ahead);
    else if (rank.total != 0)
        Sink::template stage<Tuning>(staged, tile, rank);
}

/* Scatter a tile. Stores of 16 bytes would need too many registers. */
template <class Sink, class Tuning>
__device__ __forceinline__ void
scatter_tile(const winnow__args &args, uint64_t offset, uint64_t first,
             const typename Sink::Staged *staged, unsigned int total) {
    if constexpr (HAS_REJECTS<Sink>)
        Sink::template scatter_parts<Tuning, uint2>(args, offset, first, staged,
                                                    total);
    else
        Sink::template scatter_staged<Tuning::THREADS, uint2>(
            args, offset, first, staged, total);
}

/* The workers. */
template <class Select, class Sink, class Tuning>
__device__ __forceinline__ void
work(const winnow__args &args, unsigned int tiles,
     Exchange<Sink, Tuning> &exchange, unsigned int current) {
    constexpr unsigned int THREADS = Tuning::THREADS;
    constexpr unsigned int BLOCK = BLOCK_THREADS<Tuning>;
    using TileType = Tile<Select, THREADS, Tuning::VECTORS>;
    using Staged = typename Sink::Staged;
    WINNOW__DYNAMIC_SHARED(stages);
    const auto staged = [&](unsigned int phase) {
        return reinterpret_cast<Staged *>(stages) +
               phase * STAGED_ITEMS<Sink, Tuning>;
    };
    /* Created for each tile: to keep the end of the items takes registers. */
    const auto source = [&] { return items_of<Select, Sink>(args); };
    unsigned int previous = tiles, previous_total = 0;
    TileType tile;
    if (current < tiles)
        tile.fetch(source(), current);
    for (unsigned int phase = 0;; phase ^= 1) {
        unsigned int total = 0, next = tiles;
        if (current < tiles) {
            tile.test(source(), current);
            exchange.counts[phase].write(sum(tile.kept()));
            if constexpr (MARKS<Sink>)
                note_begins(tile, current, exchange.begins[phase]);
            barrier<BLOCK>(COUNTED_BARRIER);
            total = exchange.counts[phase].total();
            if (threadIdx.x == 0) {
                release_loads(is_in_place(args));
                store_relaxed(args.look_back.states + current,
                              (current == 0 ? PREFIX : AGGREGATE) | total);
            }
            StableRank<TileType> rank(tile, exchange.counts[phase]);
            stage_tile<Sink, Tuning>(staged(phase), tile, rank,
                                     TileType::ahead(source(), current));
            /* At this point items take no registers. */
            if constexpr (MARKS<Sink>)
                store_marks(args, tile, current);
            next = exchange.ticket[phase];
            if (next < tiles)
                tile.fetch(source(), next);
        }
        barrier<BLOCK>(STAGED_BARRIER);
        if (HAS_REJECTS<Sink> ? previous < tiles : previous_total != 0)
            scatter_tile<Sink, Tuning>(
                args, exchange.offset[phase ^ 1],
                TileType::first_index(source(), previous), staged(phase ^ 1),
                previous_total);
        if (current >= tiles)
            break;
        previous = current;
        previous_total = total;
        current = next;
    }
}

template <class Select, class Sink, class Tuning>
__global__ void __launch_bounds__(BLOCK_THREADS<Tuning>,
                                  resident(BLOCK_THREADS<Tuning>,
                                           Tuning::BLOCKS))
    tile_scan(const __grid_constant__ winnow__args args) {
    using TileType = Tile<Select, Tuning::THREADS, Tuning::VECTORS>;
    using SharedExchange = Exchange<Sink, Tuning>;
    WINNOW__SHARED(exchange, SharedExchange);

    wait_for_stream();
    if (is_passed_over(args))
        return;
    report_strategy(args);
    /* At least one tile, which writes the count. */
    const unsigned int tiles =
        max(static_cast<unsigned int>(
                (items_of<Select, Sink>(args).end + TileType::ITEMS - 1) /
                TileType::ITEMS),
            1u);
    if (threadIdx.x == 0)
        exchange.ticket[1] = take_ticket(args, tiles);
    __syncthreads();
    const unsigned int first = exchange.ticket[1];
    if (warp_id() == Tuning::THREADS / WARP)
        scan<TileType, Sink, Tuning>(args, tiles, exchange, first);
    else
        work<Select, Sink, Tuning>(args, tiles, exchange, first);
}

} // namespace winnow::copy

/* ... is the selector. */
#define ENTRY_OF(TUNING, U, SINK, ...)                                         \
    WINNOW__ENTRY(                                                             \
        winnow::copy::BLOCK_THREADS<                                           \
            winnow::copy::TUNING<winnow::copy::SINK<U>>>,                      \
        winnow::copy::TUNING<winnow::copy::SINK<U>>::TILE_BYTES, 16,           \
        (winnow::copy::STAGE_BYTES<                                            \
            winnow::copy::SINK<U>,                                             \
            winnow::copy::TUNING<winnow::copy::SINK<U>>>),                     \
        winnow::copy::tile_scan<__VA_ARGS__, winnow::copy::SINK<U>,            \
                                winnow::copy::TUNING<winnow::copy::SINK<U>>>)
#define ENTRY(TUNING, U, KIND, SINK)                                           \
    ENTRY_OF(TUNING, U, SINK, winnow::Compare<U, KIND>)

/* Values have two sizes of tile, for different devices; other sinks have
 * one. */
#define LARGE(U, KIND) ENTRY(TileScan, U, KIND, Values)
WINNOW__TABLE(winnow__tile_scan_large, WINNOW__EACH_KIND(LARGE));
#define SMALL(U, KIND) ENTRY(TileScanSmall, U, KIND, Values)
WINNOW__TABLE(winnow__tile_scan_small, WINNOW__EACH_KIND(SMALL));
#define INDICES(U, KIND) ENTRY(TileScan, U, KIND, Indices)
WINNOW__TABLE(winnow__index_scan, WINNOW__ANY_KIND(INDICES));
#define PARTS(U, KIND) ENTRY(TileScan, U, KIND, Parts)
WINNOW__TABLE(winnow__parts_scan, WINNOW__ANY_KIND(PARTS));
#define HEADS(U, KIND) ENTRY_OF(TileScan, U, Values, winnow::copy::Heads<U>)
WINNOW__TABLE(winnow__heads_scan, WINNOW__ANY_KIND(HEADS));
#define MARKED(U, KIND) ENTRY(TileScan, U, KIND, Marked)
WINNOW__TABLE(winnow__marks_scan, WINNOW__EACH_KIND(MARKED));
#define MARKED_HEADS(U, KIND)                                                  \
    ENTRY_OF(TileScan, U, Marked, winnow::copy::Heads<U>)
WINNOW__TABLE(winnow__heads_marks_scan, WINNOW__ANY_KIND(MARKED_HEADS));
/* Indexed by the vectors of a record in place of the bytes of an element. */
#define RECORDS(R, KIND) ENTRY_OF(TileScan, R, Records, winnow::copy::Field<R>)
WINNOW__TABLE(winnow__records_scan, WINNOW__ROW_OF_ANY(RECORDS, 1),
              WINNOW__ROW_OF_ANY(RECORDS, 2), WINNOW__ROW_OF_ANY(RECORDS, 4),
              WINNOW__NO_ROW);
