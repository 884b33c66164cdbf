/*
 * partition_by_key: scatters each chunk, whose offsets are in the table. For
 * digits of 6 to 8 bits see tile.cuh; for those of fewer:
 *
 * A block goes through its chunk tile by tile. rank.cuh says where
 * each item is staged: in shared memory, sorted by digit. Keys and columns are
 * staged there and written from there in order, so that each digit's items
 * leave together. Small blocks, several of them on a multiprocessor, wait at
 * different times. The keys are the last to be written, and before that the
 * next tile's are loaded: their registers are free by then.
 *
 * Warps load single elements, not vectors: a round of ranking has neighbours.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "tile.cuh"

namespace winnow {
namespace partition {

/* ----------------------------------------------------------- shared memory */

/* What a block has in its dynamic shared memory: for each digit the place in
 * the output less that in the tile; counts; the staged keys; and a column. */
template <class Key, unsigned int BITS, bool DROPS>
struct Memory {
    static constexpr unsigned int DELTA_BYTES = DIGITS<BITS> * 8;
    static constexpr unsigned int KEYS =
        (DELTA_BYTES + LaneRank<Key, BITS, DROPS>::BYTES + 15) / 16 * 16;
    static constexpr unsigned int COLUMN = KEYS + ITEMS<Key> * sizeof(Key);
    static_assert(DELTA_BYTES % 16 == 0, "vectors of counts");
    static_assert(COLUMN + ITEMS<Key> * WINNOW__PARTITION_WIDTH + 1024 <=
                      64 * 1024,
                  "every device has room for that");

    int64_t *delta;
    unsigned char *counts;
    Key *keys;
    unsigned char *column;

    __device__ __forceinline__ explicit Memory(unsigned char *shared)
        : delta(reinterpret_cast<int64_t *>(shared)),
          counts(shared + DELTA_BYTES),
          keys(reinterpret_cast<Key *>(shared + KEYS)),
          column(shared + COLUMN) {
    }
};

/* ------------------------------------------------------------------- tiles */

template <class Key, unsigned int BITS, bool DROPS, bool COLUMNS>
class Scatter {
    using Keys = partition::Keys<Key>;
    using Places = partition::Places<Key>;
    static constexpr unsigned int TILE = ITEMS<Key>;

  public:
    __device__ __forceinline__ Scatter(const winnow__partition_args &args,
                                       unsigned char *shared, uint64_t offset)
        : args_(args), digit_of_(args), memory_(shared),
          rank_(memory_.counts, memory_.delta, offset) {
    }

    __device__ __forceinline__ void run(const Chunk &chunk) {
        Keys keys;
        load(chunk.begin, chunk.end, keys);
        for (uint64_t i = chunk.begin; i < chunk.end; i += TILE)
            tile(i, chunk.end, keys);
    }

  private:
    /*
     * Barriers: one after all counts are written (sum_up), one after the tile
     * is staged. What a tile stages comes after its first barrier, and so after
     * all threads have written the tile before.
     */
    __device__ __forceinline__ void tile(uint64_t begin, uint64_t end,
                                         Keys &keys) {
        Places places;
        const unsigned int items = number(begin, end);
        if (COLUMNS)
            prefetch_columns(begin, items);
        rank_.rank(digit_of_, keys, places);
        const unsigned int sum = rank_.sum_up();
        const unsigned int staged = DROPS ? sum : items;
        rank_.place(digit_of_, keys, places);
        stage_keys(keys, places);
        if (COLUMNS && staged != 0)
            move_columns(begin, staged, places);
        else
            __syncthreads();
        if (begin + TILE < end)
            load(begin + TILE, end, keys);
        if (args_.keys_out != nullptr)
            write(memory_.keys, static_cast<Key *>(args_.keys_out), 0, staged);
    }

    __device__ __forceinline__ static unsigned int number(uint64_t begin,
                                                          uint64_t end) {
        return static_cast<unsigned int>(min(end - begin, uint64_t(TILE)));
    }

    /*
     * Behind a chunk's end there are keys of ones. Where keys may be dropped,
     * these have no part. Elsewhere they have the greatest digit and come last
     * in the tile, at places that are not written; they add to a count that no
     * tile comes to use.
     */
    __device__ __forceinline__ void load(uint64_t begin, uint64_t end,
                                         Keys &keys) const {
        const unsigned int first = first_item<Key>();
        const Key *const from =
            static_cast<const Key *>(args_.keys) + begin + first;
        const unsigned int items = number(begin, end);
        if (items == TILE) {
#pragma unroll
            for (unsigned int i = 0; i < EACH<Key>; i++)
                keys[i] = __ldcs(from + i * WARP);
            return;
        }
#pragma unroll
        for (unsigned int i = 0; i < EACH<Key>; i++) {
            keys[i] = ~Key(0);
            load_if(first + i * WARP < items, from + i * WARP, keys[i]);
        }
    }

    __device__ __forceinline__ void stage_keys(const Keys &keys,
                                               const Places &places) const {
#pragma unroll
        for (unsigned int i = 0; i < EACH<Key>; i++)
            if (!DROPS || places[i] != NO_PLACE)
                memory_.keys[places[i]] = keys[i];
    }

    /* What is staged for places first to last - 1, of which there are ROOM in a
     * full tile. */
    template <unsigned int ROOM = TILE, class T>
    __device__ __forceinline__ void
    write(const T *from, T *to, unsigned int first, unsigned int last) const {
        constexpr unsigned int BATCH = 4;
        const unsigned int thread = thread_number();
        const Key *keys = memory_.keys + first + thread;
        from += thread;
        to += first + thread;
        if (last == first + ROOM) {
#pragma unroll 1
            for (unsigned int i = 0; i < ROOM; i += BATCH * THREADS) {
#pragma unroll
                for (unsigned int k = 0; k < BATCH; k++)
                    write_one(from, to, keys, k * THREADS);
                from += BATCH * THREADS;
                to += BATCH * THREADS;
                keys += BATCH * THREADS;
            }
        } else {
#pragma unroll 1
            for (unsigned int i = first + thread; i < last; i += THREADS) {
                write_one(from, to, keys, 0);
                from += THREADS;
                to += THREADS;
                keys += THREADS;
            }
        }
    }

    template <class T>
    __device__ __forceinline__ void
    write_one(const T *from, T *to, const Key *keys, unsigned int i) const {
        const int64_t delta =
            entry(memory_.delta, digit_of_.scaled(keys[i], 3));
        to[delta + i] = from[i];
    }

    /* ------------------------------------------------------------- columns */

    /* A tile's elements are wanted when its keys are staged. */
    __device__ __forceinline__ void prefetch_columns(uint64_t begin,
                                                     unsigned int items) const {
#pragma unroll 1
        for (unsigned int c = 0; c < args_.moves; c++) {
            const winnow__partition_move &column = args_.move[c];
            prefetch_lines<THREADS>(
                static_cast<const unsigned char *>(column.in) +
                    begin * column.bytes,
                items * static_cast<unsigned int>(column.bytes),
                thread_number());
        }
    }

    /* They lie in the order of their widths. The keys are staged when the first
     * column is: one barrier for both. */
    __device__ __forceinline__ void move_columns(uint64_t begin,
                                                 unsigned int staged,
                                                 const Places &places) const {
        unsigned int c = 0;
        move_wide<uint8_t>(c, begin, staged, places);
        move_wide<uint16_t>(c, begin, staged, places);
        move_wide<uint32_t>(c, begin, staged, places);
        move_wide<uint64_t>(c, begin, staged, places);
        move_wide<uint4>(c, begin, staged, places);
    }

    template <class T>
    __device__ __forceinline__ void move_wide(unsigned int &c, uint64_t begin,
                                              unsigned int staged,
                                              const Places &places) const {
        constexpr bool WIDE = sizeof(T) > WINNOW__PARTITION_WIDTH;
        constexpr unsigned int ROOM = WIDE ? TILE / 2 : TILE;
        for (; c < args_.moves && args_.move[c].bytes == sizeof(T); c++) {
            const T *const from =
                static_cast<const T *>(args_.move[c].in) + begin;
            T *const to = static_cast<T *>(args_.move[c].out);
#pragma unroll 1
            for (unsigned int first = 0; first < staged; first += ROOM) {
                if (c != 0 || first != 0)
                    __syncthreads();
                stage(from, places, first, min(staged - first, ROOM));
                __syncthreads();
                write<ROOM>(reinterpret_cast<const T *>(memory_.column), to,
                            first, min(staged, first + ROOM));
            }
        }
    }

    /* Those whose places are among `number` from first on. */
    template <class T>
    __device__ __forceinline__ void stage(const T *from, const Places &places,
                                          unsigned int first,
                                          unsigned int number) const {
        /* Loads that are under way together, in registers. */
        constexpr unsigned int BATCH =
            sizeof(T) <= 4 ? EACH<Key> : 32 / sizeof(T);
        static_assert(EACH<Key> % BATCH == 0, "whole batches");
        T *const to = reinterpret_cast<T *>(memory_.column);
        from += first_item<Key>();
#pragma unroll
        for (unsigned int i = 0; i < EACH<Key>; i += BATCH) {
            T elements[BATCH] = {};
#pragma unroll
            for (unsigned int k = 0; k < BATCH; k++)
                load_if(places[i + k] - first < number, from + (i + k) * WARP,
                        elements[k]);
#pragma unroll
            for (unsigned int k = 0; k < BATCH; k++)
                if (places[i + k] - first < number)
                    to[places[i + k] - first] = elements[k];
        }
    }

    const winnow__partition_args &args_;
    const Digit<Key> digit_of_;
    const Memory<Key, BITS, DROPS> memory_;
    LaneRank<Key, BITS, DROPS> rank_;
};

/* ----------------------------------------------------------------- kernels */

/* By one block: where each digit begins, and behind the last one. */
__device__ __forceinline__ void
write_offsets(const winnow__partition_args &args, uint64_t offset,
              unsigned long long all) {
    if (blockIdx.x == 0 && threadIdx.x < args.digits)
        args.offsets[threadIdx.x] = offset;
    if (blockIdx.x == 0 && threadIdx.x == 0)
        args.offsets[args.digits] = all;
}

template <class Key, bool MORE>
constexpr unsigned int BLOCKS = WINNOW__PARTITION_BLOCKS(sizeof(Key), MORE);

template <class Key, unsigned int BITS, bool DROPS, bool COLUMNS>
__global__ void
__launch_bounds__(THREADS, resident(THREADS, BLOCKS<Key, (DROPS || COLUMNS)>))
    scatter(const __grid_constant__ winnow__partition_args args) {
    WINNOW__DYNAMIC_SHARED(shared);
    wait_for_stream();
    const Chunk chunk(args, blockIdx.x);
    if ((!chunk.exists && blockIdx.x != 0) || is_settled(args))
        return;
    /* A digit for each lane, in all warps. */
    const unsigned int digit = lane_id();
    const unsigned long long total = digit < args.row ? args.totals[digit] : 0;
    const unsigned long long inclusive = inclusive_sum(total);
    uint64_t offset = inclusive - total;
    write_offsets(args, offset, __shfl_sync(ALL_LANES, inclusive, WARP - 1));
    if (!chunk.exists)
        return;
    if (digit < args.row)
        offset += args.table[uint64_t(blockIdx.x) * args.row + digit];
    Scatter<Key, BITS, DROPS, COLUMNS>(args, shared, offset).run(chunk);
    trigger_dependents();
}

template <class Shape, bool DROPS>
__global__ void __launch_bounds__(Shape::THREADS,
                                  resident(Shape::THREADS,
                                           WINNOW__PARTITION_TILE_BLOCKS))
    scatter_tiles(const __grid_constant__ winnow__partition_args args) {
    WINNOW__DYNAMIC_SHARED(shared);
    using Sums = Array<unsigned int, Shape::WARPS>;
    WINNOW__SHARED(sums, Sums);
    WINNOW__SHARED(long_sums, LongSums<Shape::WARPS>);
    WINNOW__SHARED(chunk, Chunk);
    wait_for_stream();
    if (is_settled(args))
        return;
    TileScatter<Shape, DROPS> scatter(args, shared, sums.at);
    for (unsigned int number = blockIdx.x;; number += gridDim.x) {
        __syncthreads(); /* all are done with the chunk before */
        if (threadIdx.x == 0)
            chunk = Chunk(args, number);
        __syncthreads();
        if (!chunk.exists && number != 0)
            break;
        /* Summed up for each chunk: there are few, and no registers. */
        const unsigned long long total =
            threadIdx.x < args.row ? args.totals[threadIdx.x] : 0;
        unsigned long long all;
        const unsigned long long offset =
            exclusive_sum<Shape::WARPS>(total, long_sums.at, &all);
        if (number == 0)
            write_offsets(args, offset, all);
        if (!chunk.exists)
            break;
        scatter.run(chunk, number, offset);
    }
    trigger_dependents();
    scatter.wait();
}

} // namespace partition
} // namespace winnow

#define ENTRY(KEY, BITS, DROPS, COLUMNS)                                       \
    WINNOW__ENTRY(winnow::partition::THREADS,                                  \
                  (winnow::partition::ITEMS<KEY> * sizeof(KEY)), sizeof(KEY),  \
                  (winnow::partition::Memory<KEY, BITS, DROPS>::COLUMN),       \
                  winnow::partition::scatter<KEY, BITS, DROPS, COLUMNS>)
#define TILES_OF(SHAPE, DROPS)                                                 \
    WINNOW__ENTRY((SHAPE::THREADS), (SHAPE::ITEMS * sizeof(SHAPE::Key)),       \
                  (sizeof(SHAPE::Key)),                                        \
                  (winnow::partition::TileMemory<SHAPE>::BYTES),               \
                  winnow::partition::scatter_tiles<SHAPE, DROPS>)
#define SHAPE_OF(KEY, BITS, COLUMNS, STABLE)                                   \
    winnow::partition::TileShape<KEY, BITS, COLUMNS, STABLE>
/* Without columns, and with them. */
#define BOTH_TILES(KEY, BITS, DROPS, STABLE)                                   \
    {                                                                          \
        TILES_OF(SHAPE_OF(KEY, BITS, false, STABLE), DROPS),                   \
            TILES_OF(SHAPE_OF(KEY, BITS, true, STABLE), DROPS)                 \
    }
#define TILES(KEY, BITS, DROPS) BOTH_TILES(KEY, BITS, DROPS, true)
#define ANY(KEY, DROPS) BOTH_TILES(KEY, 8, DROPS, false)
#define CHUNKS(KEY, BITS, DROPS)                                               \
    { ENTRY(KEY, BITS, DROPS, false), ENTRY(KEY, BITS, DROPS, true) }
/* Where keys may be dropped there are fewer kernels. */
#define CLASSES(KEY)                                                           \
    {                                                                          \
        {CHUNKS(KEY, 1, false), CHUNKS(KEY, 2, false), CHUNKS(KEY, 4, false),  \
         CHUNKS(KEY, 5, false), TILES(KEY, 6, false),  TILES(KEY, 8, false)},  \
        {                                                                      \
            CHUNKS(KEY, 5, true), CHUNKS(KEY, 5, true), CHUNKS(KEY, 5, true),  \
                CHUNKS(KEY, 5, true), TILES(KEY, 8, true), TILES(KEY, 8, true) \
        }                                                                      \
    }
const winnow__kernel winnow__partition_scatter[2][2][WINNOW__PARTITION_CLASSES]
                                              [2] = {CLASSES(uint32_t),
                                                     CLASSES(uint64_t)};

#define EACH_DROPS(HOW, KEY)                                                   \
    { HOW(KEY, false), HOW(KEY, true) }
#define EACH(HOW)                                                              \
    { EACH_DROPS(HOW, uint32_t), EACH_DROPS(HOW, uint64_t) }
const winnow__kernel winnow__partition_scatter_any[2][2][2] = EACH(ANY);
