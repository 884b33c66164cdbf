/*
 * partition_by_key by tiles: a tile whose items all have one digit. Sorted keys
 * have many of them. It needs no places: keys and columns are copied as they
 * lie, behind what is held of the digit, which is written, too. Where a block
 * reserves places, what is held stays so.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_KERNELS_PARTITION_ONE_DIGIT_CUH
#define WINNOW_KERNELS_PARTITION_ONE_DIGIT_CUH

#include "exact.cuh"

namespace winnow {
namespace partition {

/* Of each warp the digit, if its items have one. */
template <class Shape>
struct WarpDigits {
    static constexpr unsigned int WORDS = Shape::WARPS / 4;
    static_assert(Shape::WARPS % 4 == 0, "whole words");

    uint32_t words[WORDS];

    __device__ __forceinline__ void set(unsigned int warp, unsigned int digit) {
        reinterpret_cast<uint8_t *>(words)[warp] = static_cast<uint8_t>(digit);
    }

    __device__ __forceinline__ unsigned int first() const {
        return words[0] & 0xff;
    }

    __device__ __forceinline__ bool are_same() const {
        const uint32_t all = first() * 0x01010101u;
        bool same = true;
#pragma unroll
        for (unsigned int i = 0; i < WORDS; i++)
            same = same && words[i] == all;
        return same;
    }
};

/* What is held of a digit: each thread has one of the items, or none. */
template <class Shape>
struct HeldItem {
    bool exists;
    unsigned int slot;
    uint64_t place; /* in the output */

    __device__ __forceinline__ HeldItem(const TileMemory<Shape> &memory,
                                        unsigned int digit) {
        const uint64_t end = memory.end[digit];
        const unsigned int held = static_cast<unsigned int>(end % Shape::GROUP);
        slot = digit * Shape::SLOTS + threadIdx.x;
        place = end - held + threadIdx.x;
        exists = threadIdx.x < held && place >= memory.first[digit];
    }
};

/* A column of a tile that is copied. */
template <class Shape>
class ColumnCopy {
  public:
    /* All columns, by all threads. As a function of its own, so that it takes
     * no registers of the kernel's. */
    __device__ WINNOW__NOINLINE static void
    run(const winnow__partition_args &args, unsigned char *shared,
        unsigned int digit, uint64_t chunk_begin, uint64_t begin) {
        const TileMemory<Shape> memory(shared);
        const HeldItem<Shape> held(memory, digit);
        const uint64_t to = memory.end[digit];
        const unsigned char *slots = memory.held_columns;
#pragma unroll 1
        for (unsigned int c = 0; c < args.moves; c++) {
            const unsigned int bytes =
                static_cast<unsigned int>(args.move[c].bytes);
            const unsigned char *const in =
                static_cast<const unsigned char *>(args.move[c].in);
            unsigned char *const out =
                static_cast<unsigned char *>(args.move[c].out);
            if (held.exists)
                copy_bytes(out + held.place * bytes, slots + held.slot * bytes,
                           bytes);
            copy_block(out + to * bytes, in + begin * bytes,
                       Shape::ITEMS * bytes);
            slots += Shape::HELD * bytes;
        }
    }

    /* The same where the block has reserved places for the tile. */
    __device__ WINNOW__NOINLINE static void
    run_reserved(const winnow__partition_args &args,
                 typename ReserveOf<Shape>::Pieces pieces, uint64_t begin) {
#pragma unroll 1
        for (unsigned int c = 0; c < args.moves; c++) {
            const unsigned int bytes =
                static_cast<unsigned int>(args.move[c].bytes);
            const unsigned char *const in =
                static_cast<const unsigned char *>(args.move[c].in) +
                begin * bytes;
            unsigned char *const out =
                static_cast<unsigned char *>(args.move[c].out);
            copy_block(out + pieces.first * bytes, in, pieces.items * bytes);
            if constexpr (Shape::EXACT) {
                for (unsigned int i = pieces.items + threadIdx.x;
                     i < Shape::ITEMS; i += Shape::THREADS)
                    copy_bytes(out + pieces.place(i) * bytes, in + i * bytes,
                               bytes);
            } else {
                copy_block(static_cast<unsigned char *>(args.move[c].spare) +
                               pieces.row * bytes,
                           in + pieces.items * bytes,
                           pieces.spare_items(args, Shape::ITEMS) * bytes);
            }
        }
    }

  private:
    __device__ __forceinline__ static void
    copy_bytes(unsigned char *to, const unsigned char *from, unsigned int n) {
#pragma unroll 1
        for (unsigned int i = 0; i < n; i++)
            to[i] = from[i];
    }

    __device__ __forceinline__ static void
    copy_block(unsigned char *to, const unsigned char *from, unsigned int n) {
        /* A part of a tile may end inside of a vector. */
        const uintptr_t places = reinterpret_cast<uintptr_t>(to) |
                                 reinterpret_cast<uintptr_t>(from) | n;
        if (places % sizeof(uint4) == 0)
            copy_elements<uint4>(to, from, n);
        else if (places % sizeof(uint32_t) == 0)
            copy_elements<uint32_t>(to, from, n);
        else
            copy_elements<uint8_t>(to, from, n);
    }

    template <class T>
    __device__ __forceinline__ static void
    copy_elements(unsigned char *to, const unsigned char *from,
                  unsigned int bytes) {
        constexpr unsigned int BATCH = 4; /* under way together */
        T *const out = reinterpret_cast<T *>(to);
        const T *const in = reinterpret_cast<const T *>(from);
        const unsigned int n = bytes / sizeof(T);
#pragma unroll 1
        for (unsigned int i = threadIdx.x; i < n; i += BATCH * Shape::THREADS) {
            T elements[BATCH] = {};
#pragma unroll
            for (unsigned int k = 0; k < BATCH; k++)
                load_if(i + k * Shape::THREADS < n, in + i + k * Shape::THREADS,
                        elements[k]);
#pragma unroll
            for (unsigned int k = 0; k < BATCH; k++)
                if (i + k * Shape::THREADS < n)
                    out[i + k * Shape::THREADS] = elements[k];
        }
    }
};

template <class Shape, bool DROPS>
class OneDigit {
    using Key = typename Shape::Key;
    static constexpr unsigned int EACH_ = Shape::EACH;

  public:
    __device__ __forceinline__ OneDigit(const winnow__partition_args &args,
                                        const TileMemory<Shape> &memory,
                                        WarpDigits<Shape> &digits)
        : args_(args), digit_of_(args), memory_(memory), digits_(digits) {
    }

    /* Have all of the warp's items the same digit, and a part? `full`: is the
     * whole tile the chunk's? A barrier follows. */
    __device__ __forceinline__ bool is_warp(const Key (&keys)[EACH_],
                                            bool full) const {
        const Key first = __shfl_sync(ALL_LANES, keys[0], 0);
        /* Seldom, so two of the items are looked at before all. */
        Key different = keys[0] ^ first | keys[EACH_ - 1] ^ first;
        if (!__all_sync(ALL_LANES, full && is_same(first, different)))
            return false;
#pragma unroll
        for (unsigned int i = 0; i < EACH_; i++)
            different |= keys[i] ^ first;
        if (lane_id() == 0)
            digits_.set(warp_id(), digit_of_(first));
        return __all_sync(ALL_LANES, is_same(first, different));
    }

    /* Of all warps: is it the same digit? */
    __device__ __forceinline__ bool is_tile() const {
        return digits_.are_same();
    }

    /*
     * Write the tile. Call next() when the keys are stored. The chunk is as if
     * the digit began behind this tile: of its next group, what comes before
     * that place is no longer held. Ends with a barrier, after which one thread
     * says so: the next tile's first barrier comes before that is read.
     */
    template <class Next>
    __device__ __forceinline__ void copy(const Key (&keys)[EACH_],
                                         uint64_t chunk_begin, uint64_t begin,
                                         Next next) const {
        const unsigned int digit = digits_.first();
        copy_keys(keys, digit);
        next();
        if (Shape::COLUMNS)
            ColumnCopy<Shape>::run(args_, memory_.shared(), digit, chunk_begin,
                                   begin);
        __syncthreads();
        if (threadIdx.x == 0)
            memory_.first[digit] = memory_.end[digit] += Shape::ITEMS;
    }

    /* The same where the block reserves places for the tile. What is held
     * stays so. A barrier comes after all have read the places, and before
     * their memory is written again: the next tile's first one. */
    template <class Next>
    __device__ __forceinline__ void
    copy_reserved(const Key (&keys)[EACH_], uint64_t begin, Next next) const {
        using Pieces = typename ReserveOf<Shape>::Pieces;
        static_assert(sizeof(Pieces) <= Shape::GROUPS * sizeof(Group),
                      "no groups are listed");
        Pieces &reserved = *reinterpret_cast<Pieces *>(memory_.groups);
        if (threadIdx.x == 0)
            reserved =
                ReserveOf<Shape>(args_, memory_).take_tile(digits_.first());
        __syncthreads();
        const Pieces pieces = reserved;
        const unsigned int first = first_of_tile<Shape>();
#pragma unroll
        for (unsigned int i = 0; i < EACH_; i++)
            pieces.store(args_, first + i * WARP, keys[i],
                         static_cast<Key *>(args_.keys_out),
                         static_cast<Key *>(args_.spare_keys));
        next();
        if (Shape::COLUMNS)
            ColumnCopy<Shape>::run_reserved(args_, pieces, begin);
    }

  private:
    __device__ __forceinline__ bool is_same(Key first, Key different) const {
        return DROPS
                   ? digit_of_.has_part(first) && digit_of_.part(different) == 0
                   : digit_of_(different) == 0;
    }

    __device__ __forceinline__ void copy_keys(const Key (&keys)[EACH_],
                                              unsigned int digit) const {
        Key *const out = static_cast<Key *>(args_.keys_out);
        if (out == nullptr)
            return;
        const HeldItem<Shape> held(memory_, digit);
        if (held.exists)
            out[held.place] = memory_.held[held.slot];
        Key *const to = out + memory_.end[digit] + first_of_tile<Shape>();
#pragma unroll
        for (unsigned int i = 0; i < EACH_; i++)
            to[i * WARP] = keys[i];
    }

    const winnow__partition_args &args_;
    const Digit<Key> digit_of_;
    const TileMemory<Shape> &memory_;
    WarpDigits<Shape> &digits_;
};

} // namespace partition
} // namespace winnow

#endif
