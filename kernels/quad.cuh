/*
 * Quad tiles, of elements of one byte: a lane has four of them side by side, in
 * one word, so that there are few loads, and 128 elements to a row of a warp.
 * All rows of a warp are ranked together, in the bytes of one register; and the
 * survivors of a lane are brought together by one look at a table.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_KERNELS_QUAD_CUH
#define WINNOW_KERNELS_QUAD_CUH

#include "args.h"
#include "predicate.cuh"
#include "ptx.cuh"
#include "warp.cuh"

namespace winnow {

constexpr unsigned int QUAD = 4;
constexpr unsigned int QUAD_ROWS = 4; /* of a warp; a byte of a word for each */
constexpr unsigned int QUAD_THREADS = 256;
constexpr unsigned int QUAD_ITEMS = QUAD_THREADS * QUAD_ROWS * QUAD;

/*
 * For each set of four flags, which of four bytes to take: those that are
 * flagged, in their order. In shared memory. (CPUs pack vectors so.)
 */
class QuadTable {
  public:
    static constexpr unsigned int ENTRIES = 1 << QUAD;

    /* By ENTRIES threads: entry `i`. */
    __device__ __forceinline__ void make(unsigned int i) {
        uint32_t selector = 0;
        unsigned int at = 0;
#pragma unroll
        for (unsigned int k = 0; k < QUAD; k++)
            if (i >> k & 1) {
                selector |= k << at;
                at += 4;
            }
        selectors_[i] = selector;
    }

    /* Bytes of `word` side by side, from its lower end on: those with a one in
     * the same byte of `flags`, which has nothing but such ones. */
    __device__ __forceinline__ uint32_t pack(uint32_t word,
                                             uint32_t flags) const {
        /* Brings the four flags together, and nothing else to these bits; four
         * bytes to an entry. */
        const unsigned int at = flags * 0x01020408u >> 24 - 2;
        const uint32_t selector = *reinterpret_cast<const uint32_t *>(
            reinterpret_cast<const unsigned char *>(selectors_) + at);
        return permute(word, 0, selector);
    }

  private:
    uint32_t selectors_[ENTRIES];
};

/*
 * A tile in registers: each warp has so many rows of it, one after the other.
 * The array is aligned to quads. WHOLE: it fills all tiles; to ask takes a
 * branch here and there, and 1 to 3% of the time of a kernel so short.
 */
template <winnow__test_kind KIND, bool WHOLE>
class QuadTile {
    static constexpr unsigned int ROWS = QUAD_ROWS, ITEMS = QUAD_ITEMS;
    static constexpr unsigned int ROW = WARP * QUAD;

  public:
    /* Begin to load tile number `tile`; nothing waits for it before test(). */
    __device__ __forceinline__ void fetch(const winnow__args &args,
                                          unsigned int tile) {
        const uint8_t *const items =
            static_cast<const uint8_t *>(args.in) + tile * ITEMS;
        end_ = static_cast<unsigned int>(args.n) - tile * ITEMS;
        if (is_whole()) {
#pragma unroll
            for (unsigned int k = 0; k < ROWS; k++)
                word_[k] = load(items + place(0) + k * ROW);
        } else {
            fetch_end(items);
        }
    }

    __device__ __forceinline__ void
    test(const PackedPredicate<uint8_t, KIND> &passes) {
#pragma unroll
        for (unsigned int k = 0; k < ROWS; k++)
            flags_[k] = passes.passing_tops(word_[k]) >> 7;
        if (!is_whole())
            mend(passes);
        mine_ = 0;
#pragma unroll
        for (unsigned int k = 0; k < ROWS; k++)
            mine_ |= (flags_[k] * 0x01010101u >> 24) << 8 * k;
    }

    /* How many the warp keeps. */
    __device__ __forceinline__ unsigned int kept() const {
        uint32_t flags = 0;
#pragma unroll
        for (unsigned int k = 0; k < ROWS; k++)
            flags += flags_[k];
        return sum(flags * 0x01010101u >> 24);
    }

    /* Put the survivors side by side, at their ranks; `rank` of them belong to
     * warps before this one. */
    __device__ __forceinline__ void
    stage(uint8_t *staged, const QuadTable &table, unsigned int rank) const {
        uint32_t packed[ROWS]; /* looked up before anything is written */
#pragma unroll
        for (unsigned int k = 0; k < ROWS; k++)
            packed[k] = table.pack(word_[k], flags_[k]);
        const uint32_t sums = inclusive_sum(mine_);
        const uint32_t rows = __shfl_sync(ALL_LANES, sums, WARP - 1);
        const uint32_t lower = sums - mine_; /* lanes */
#pragma unroll
        for (unsigned int k = 0; k < ROWS; k++) {
            uint8_t *const at = staged + rank + byte(lower, k);
#pragma unroll
            for (unsigned int i = 0; i < QUAD; i++)
                if (i < byte(mine_, k))
                    at[i] = static_cast<uint8_t>(packed[k] >> 8 * i);
            rank += byte(rows, k);
        }
    }

  private:
    uint32_t word_[ROWS];
    uint32_t flags_[ROWS]; /* a one in each byte that passes */
    uint32_t mine_; /* how many of each row the lane keeps, a byte for each */
    unsigned int end_;        /* of the array, in the tile or beyond */
    uint32_t byte_[QUAD - 1]; /* of its last quad, if that is in the tile */

    /* A lane's first item of a row. */
    __device__ __forceinline__ static unsigned int place(unsigned int row) {
        return warp_id() * (ROW * ROWS) + row * ROW + lane_id() * QUAD;
    }

    __device__ __forceinline__ static unsigned int byte(uint32_t word,
                                                        unsigned int i) {
        return word >> 8 * i & 0xff;
    }

    __device__ __forceinline__ static uint32_t load(const uint8_t *from) {
        return __ldcs(reinterpret_cast<const uint32_t *>(from));
    }

    /* Where the array's last quad begins, if that is not a whole one. */
    __device__ __forceinline__ unsigned int last() const {
        return end_ / QUAD * QUAD;
    }

    /* Does the array fill the tile? */
    __device__ __forceinline__ bool is_whole() const {
        return WHOLE || end_ >= ITEMS;
    }

    /* If not: its whole quads, and the bytes of the last one. Nothing waits for
     * these here either. */
    __device__ __forceinline__ void fetch_end(const uint8_t *items) {
#pragma unroll
        for (unsigned int k = 0; k < ROWS; k++)
            word_[k] = place(k) < last() ? load(items + place(k)) : 0;
#pragma unroll
        for (unsigned int i = 0; i < QUAD - 1; i++)
            byte_[i] = i < end_ % QUAD ? __ldcs(items + last() + i) : 0;
    }

    /* The flags of the array's last quad, which all lanes put together, for the
     * one that has it; and of what lies beyond. */
    __device__ __forceinline__ void
    mend(const PackedPredicate<uint8_t, KIND> &passes) {
        const uint32_t word = byte_[0] | byte_[1] << 8 | byte_[2] << 16;
        const uint32_t inside = (1u << 8 * (end_ % QUAD)) - 1;
        const uint32_t flags = passes.passing_tops(word) >> 7 & inside;
#pragma unroll
        for (unsigned int k = 0; k < ROWS; k++)
            if (place(k) >= last()) {
                word_[k] = word;
                flags_[k] = place(k) == last() ? flags : 0;
            }
    }
};

} // namespace winnow

#endif
