/*
 * partition_by_key: scatters by digits of 6 to 8 bits, tile by tile.
 *
 * A digit has few items in a tile, so that it writes a short piece of the
 * output, which seldom ends with a cache line. The neighbours of a tile write
 * what comes before and behind. Therefore blocks that run together have tiles
 * that lie together: a line is complete before the cache gives it up. The
 * counting says how many items of each digit its chunk has before each tile.
 *
 * Each warp ranks a piece of the tile in rounds, an item for each lane: a round
 * has 32 neighbours. Ballots over the bits of the digit say which lanes have
 * the same one; the warp's counts lie in shared memory, read by all of these
 * lanes, then written by the last of them. A sum over digits and warps turns
 * ranks into places in a tile sorted by digit, stably. Keys are staged there,
 * and written in order; so is one column after the other, in the same memory.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_KERNELS_PARTITION_TILE_CUH
#define WINNOW_KERNELS_PARTITION_TILE_CUH

#include "partition_places.cuh"

namespace winnow {
namespace partition {

template <class Key, unsigned int BITS, bool DROPS, bool COLUMNS>
class TileScatter {
    static constexpr unsigned int TILE = TILE_ITEMS<Key>;
    static constexpr unsigned int EACH_ = TILE_EACH<Key>;
    static_assert(DIGITS<BITS> <= TILE_THREADS, "a thread for each digit");

    using Keys = Key[EACH_];
    using Memory = TileMemory<Key, BITS>;

  public:
    /* Dynamic shared memory. */
    static constexpr unsigned int BYTES =
        COLUMNS ? Memory::DIGIT + TILE : Memory::DIGIT;
    static_assert(BYTES + 1024 <= 64 * 1024, "every device has room for that");

    /* `offset`: where the thread's digit begins in the output. */
    __device__ __forceinline__ TileScatter(const winnow__partition_args &args,
                                           unsigned char *shared,
                                           uint64_t offset, unsigned int *sums)
        : args_(args), digit_of_(args), memory_(shared), sums_(sums) {
        if (threadIdx.x < DIGITS<BITS>)
            memory_.begin[threadIdx.x] = memory_.offset[threadIdx.x] = offset;
    }

    __device__ __forceinline__ void run() {
        unsigned int slot = blockIdx.x;
        Tile tile;
        if (!tile.find<TILE>(args_, slot))
            return;
        Keys keys;
        if (!COLUMNS)
            load(tile, keys);
        for (bool more = true; more;) {
            if (COLUMNS) {
                prefetch_columns(tile);
                prefetch_keys(slot + gridDim.x);
                load(tile, keys);
            }
            Places16<EACH_> places;
            rank(keys, places);
            const unsigned int sum = sum_up();
            const unsigned int staged = DROPS ? sum : tile.items;
            stage_keys(keys, places);
            __syncthreads();
            slot += gridDim.x;
            if (COLUMNS) {
                write_keys(staged);
                move_columns(tile.begin, staged, places);
            }
            more = tile.find<TILE>(args_, slot);
            if (!COLUMNS) {
                if (more)
                    load(tile, keys);
                write_keys(staged);
            }
        }
    }

  private:
    /*
     * Behind a tile's end there are keys of ones. Where keys may be dropped,
     * these have no part. Elsewhere they have the greatest digit and come last
     * in the tile, at places that are not written.
     */
    __device__ __forceinline__ void load(const Tile &tile, Keys &keys) const {
        const unsigned int digit = thread_number();
        if (digit < args_.row)
            memory_.offset[digit] =
                memory_.begin[digit] +
                args_.table[uint64_t(tile.chunk) * args_.row + digit] +
                args_.tile_table[tile.row * args_.row + digit];
        const unsigned int first = first_of_tile<Key>();
        const Key *const from =
            static_cast<const Key *>(args_.keys) + tile.begin + first;
        if (tile.items == TILE) {
#pragma unroll
            for (unsigned int i = 0; i < EACH_; i++)
                keys[i] = __ldcs(from + i * WARP);
            return;
        }
#pragma unroll
        for (unsigned int i = 0; i < EACH_; i++) {
            keys[i] = ~Key(0);
            load_if(first + i * WARP < tile.items, from + i * WARP, keys[i]);
        }
    }

    /* Each item's rank among those of its digit in the warp. */
    __device__ __forceinline__ void rank(const Keys &keys,
                                         Places16<EACH_> &places) {
        const unsigned int below = lanes_below();
        const unsigned int above = ~below << 1;
        uint16_t *const counts = own_counts();
        constexpr unsigned int AHEAD_ = DROPS && COLUMNS ? 1 : AHEAD;
        unsigned int ranks[AHEAD_];
        clear(counts);
#pragma unroll
        for (unsigned int i = 0; i < EACH_; i++) {
            const bool exists = !DROPS || digit_of_.has_part(keys[i]);
            const unsigned int digit =
                digit_of_.after(keys[i], i < AHEAD_ ? 0 : ranks[i % AHEAD_]);
            unsigned int peers = existing<DROPS>(exists);
#pragma unroll
            for (unsigned int b = 0; b < BITS; b++)
                peers &= lanes_with_same_bit(digit, 1u << b);
            /* Read by all peers, then written by the last: barriers of the warp
             * between. */
            uint16_t &count = counts[digit];
            unsigned int rank = count + __popc(peers & below);
            pin(rank); /* of any value, to the compiler: for after() */
            __syncwarp();
            if (exists && (peers & above) == 0)
                count = static_cast<uint16_t>(rank + 1);
            __syncwarp();
            ranks[i % AHEAD_] = rank;
            places.set(i, exists ? rank : NO_PLACE_16);
        }
    }

    /*
     * Turns counts of warps and digits into places in the tile, and says where
     * each digit goes. Returns how many items have a place. Its first barrier
     * comes after all counts are written, and after the tile before is.
     */
    __device__ __forceinline__ unsigned int sum_up() {
        const unsigned int digit = thread_number();
        const bool is_one = digit < DIGITS<BITS>;
        uint16_t *const counts = memory_.counts + digit;
        unsigned int total = 0, staged;
        __syncthreads();
        if (is_one) {
#pragma unroll 8
            for (unsigned int w = 0; w < TILE_WARPS; w++)
                total += counts[w * DIGITS<BITS>];
        }
        unsigned int start =
            exclusive_sum<DIGITS<BITS> / WARP>(total, sums_, &staged);
        if (is_one) {
            memory_.delta[digit] =
                static_cast<int64_t>(memory_.offset[digit] - start);
#pragma unroll 8
            for (unsigned int w = 0; w < TILE_WARPS; w++) {
                const unsigned int count = counts[w * DIGITS<BITS>];
                counts[w * DIGITS<BITS>] = static_cast<uint16_t>(start);
                start += count;
            }
        }
        __syncthreads();
        return staged;
    }

    /* From ranks to places, which columns use again. */
    __device__ __forceinline__ void stage_keys(const Keys &keys,
                                               Places16<EACH_> &places) const {
        uint16_t *const starts = own_counts();
#pragma unroll
        for (unsigned int i = 0; i < EACH_; i++) {
            const unsigned int rank = places.get(i);
            if (!DROPS || rank != NO_PLACE_16) {
                const unsigned int place =
                    rank + entry(starts, digit_of_.template scaled<1>(keys[i]));
                memory_.staged[place] = keys[i];
                if (COLUMNS)
                    places.set(i, place);
            }
        }
    }

    /* For columns, a thread writes the digits down of what it writes. */
    __device__ __forceinline__ void write_keys(unsigned int number) const {
        Key *const out = static_cast<Key *>(args_.keys_out);
        if (!COLUMNS && out == nullptr)
            return;
        for_staged<TILE>(number, [&](unsigned int i, auto batch) {
            constexpr unsigned int BATCH = decltype(batch)::value;
            Key keys[BATCH];
#pragma unroll
            for (unsigned int k = 0; k < BATCH; k++)
                keys[k] = memory_.staged[i + k * TILE_THREADS];
            Key *const to = out + i;
#pragma unroll
            for (unsigned int k = 0; k < BATCH; k++) {
                const unsigned int digit =
                    digit_of_.template scaled<3>(keys[k]);
                if (COLUMNS)
                    memory_.digits[i + k * TILE_THREADS] =
                        static_cast<uint8_t>(digit >> 3);
                if (!COLUMNS || out != nullptr)
                    to[entry(memory_.delta, digit) + k * TILE_THREADS] =
                        keys[k];
            }
        });
    }

    /* ------------------------------------------------------------- columns */

    /* A tile's elements are wanted when its keys are written. */
    __device__ __forceinline__ void prefetch_columns(const Tile &tile) const {
#pragma unroll 1
        for (unsigned int c = 0; c < args_.moves; c++) {
            const winnow__partition_move &column = args_.move[c];
            prefetch_tile(tile, column.in,
                          static_cast<unsigned int>(column.bytes));
        }
    }

    __device__ __forceinline__ void prefetch_keys(unsigned int slot) const {
        Tile tile;
        if (tile.find<TILE>(args_, slot))
            prefetch_tile(tile, args_.keys, sizeof(Key));
    }

    __device__ __forceinline__ static void
    prefetch_tile(const Tile &tile, const void *in, unsigned int each) {
        constexpr unsigned int LINE = 128; /* bytes */
        const unsigned char *const from =
            static_cast<const unsigned char *>(in) + tile.begin * each;
#pragma unroll 1
        for (unsigned int i = thread_number() * LINE; i < tile.items * each;
             i += TILE_THREADS * LINE)
            prefetch(from + i);
    }

    /* They lie in the order of their widths. */
    __device__ __forceinline__ void
    move_columns(uint64_t begin, unsigned int staged,
                 const Places16<EACH_> &places) const {
        unsigned int c = 0;
        move_wide<uint8_t>(c, begin, staged, places);
        move_wide<uint16_t>(c, begin, staged, places);
        move_wide<uint32_t>(c, begin, staged, places);
        move_wide<uint64_t>(c, begin, staged, places);
        move_wide<uint4>(c, begin, staged, places);
    }

    /* Elements wider than keys are staged in several parts. */
    template <class T>
    __device__ __forceinline__ void
    move_wide(unsigned int &c, uint64_t begin, unsigned int staged,
              const Places16<EACH_> &places) const {
        constexpr unsigned int ROOM =
            sizeof(T) > sizeof(Key) ? TILE / (sizeof(T) / sizeof(Key)) : TILE;
        for (; c < args_.moves && args_.move[c].bytes == sizeof(T); c++) {
            const T *const from =
                static_cast<const T *>(args_.move[c].in) + begin;
            T *const to = static_cast<T *>(args_.move[c].out);
#pragma unroll 1
            for (unsigned int first = 0; first < staged; first += ROOM) {
                const unsigned int number = min(staged - first, ROOM);
                stage(from, places, first, number);
                __syncthreads();
                write<ROOM>(to, first, number);
            }
        }
    }

    /* Those whose places are among `number` from first on. */
    template <class T>
    __device__ __forceinline__ void
    stage(const T *from, const Places16<EACH_> &places, unsigned int first,
          unsigned int number) const {
        /* Loads that are under way together, in registers. */
        constexpr unsigned int BATCH = EACH_ % 8 == 0 && sizeof(T) <= 8 ? 8 : 4;
        static_assert(EACH_ % BATCH == 0, "whole batches");
        T *const to = reinterpret_cast<T *>(memory_.staged);
        from += first_of_tile<Key>();
#pragma unroll
        for (unsigned int i = 0; i < EACH_; i += BATCH) {
            T elements[BATCH] = {};
#pragma unroll
            for (unsigned int k = 0; k < BATCH; k++)
                load_if(places.get(i + k) - first < number,
                        from + (i + k) * WARP, elements[k]);
            if (i == 0)
                __syncthreads(); /* what was staged before is written */
#pragma unroll
            for (unsigned int k = 0; k < BATCH; k++)
                if (places.get(i + k) - first < number)
                    to[places.get(i + k) - first] = elements[k];
        }
    }

    template <unsigned int ROOM, class T>
    __device__ __forceinline__ void write(T *out, unsigned int first,
                                          unsigned int number) const {
        const T *const from = reinterpret_cast<const T *>(memory_.staged);
        const uint8_t *const digits = memory_.digits + first;
        out += first;
        for_staged<ROOM>(number, [&](unsigned int i, auto batch) {
            constexpr unsigned int BATCH = decltype(batch)::value;
            T *const to = out + i;
#pragma unroll
            for (unsigned int k = 0; k < BATCH; k++)
                to[memory_.delta[digits[i + k * TILE_THREADS]] +
                   k * TILE_THREADS] = from[i + k * TILE_THREADS];
        });
    }

    /* --------------------------------------------------------------- counts */

    /* The warp's own counts, which become the starts of its items. */
    __device__ __forceinline__ uint16_t *own_counts() const {
        return memory_.counts + thread_number() / WARP * DIGITS<BITS>;
    }

    __device__ __forceinline__ static void clear(uint16_t *counts) {
        constexpr unsigned int VECTORS = DIGITS<BITS> * sizeof(uint16_t) / 16;
        uint4 *const vectors = reinterpret_cast<uint4 *>(counts);
        if (lane_id() < VECTORS)
            vectors[lane_id()] = make_uint4(0, 0, 0, 0);
        static_assert(VECTORS <= WARP, "one for each lane");
        __syncwarp();
    }

    const winnow__partition_args &args_;
    const Digit<Key> digit_of_;
    const Memory memory_;
    unsigned int *const sums_;
};

} // namespace partition
} // namespace winnow

#endif
